/*
 * Every limit that a user can meet. `npm run docs` writes docs/limits.md from this file: each heading becomes a table, and
 * each constant a row, or a part of the row before it if both limit the same.
 *
 * The first line of a comment has three parts: what the constant limits | its unit | what happens beyond it. The other
 * lines say why the limit exists. A character is a UTF-16 code unit.
 */

// Requests and bodies

/**
 * request line and headers | bytes together | 431
 * Node has this limit for HTTP/1.1, and HTTP/2 gets the same.
 */
export const MAX_HEAD_BYTES = 16 * 1024;

/**
 * project key with sandbox, id or key of a resource, id of a client | characters | 400; 404 in a path
 * They appear in logs, headers, pointers and names of files.
 */
export const MAX_ID = 256;

/**
 * name of a sandbox, scenario, snapshot, or participant of a pact | characters | 400
 * They appear in messages and paths. With a project key, the name of a sandbox fits into `MAX_ID`.
 */
export const MAX_NAME = 100;

/**
 * body | bytes of JSON by default | 413
 * A body of this size is parsed and stored in less than 0.2 seconds, while all other requests wait.
 */
export const MAX_JSON_BYTES = 4 * 1024 * 1024;
/**
 * body | bytes of JSON with `maxBodyBytes`, and for resources, images and states in the control API | 413
 * The largest body that `JSON.parse` reads in one piece. Archives and generated resources hold more.
 */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;
/**
 * body | bytes of an image with `maxImageBytes` | 413
 * An image is in memory as a whole.
 */
export const MAX_IMAGE_BYTES = 32 * 1024 * 1024;
/**
 * body | bytes of the form of a token endpoint | 413
 * A form with credentials and scopes is small.
 */
export const MAX_FORM_BYTES = 64 * 1024;

/**
 * bodies of all requests in progress | bytes together | 503 with `Retry-After`
 * Slow clients must not fill the memory.
 */
export const MAX_RECEIVED_BYTES = 256 * 1024 * 1024;

/**
 * JSON in a body | levels | 400
 * Deeper values could exhaust the stack.
 */
export const MAX_JSON_DEPTH = 200;
/**
 * JSON in a body | levels in archives, and for resources and states in the control API | 400
 * A resource in such a body can be as deep as in a body of its own.
 */
export const MAX_STATE_DEPTH = 210;
/**
 * JSON in a body | members, items, objects and arrays | 400
 * The time to validate and to store a body grows with its values.
 */
export const MAX_JSON_VALUES = 200_000;
/**
 * JSON in a body | members of one object | 400
 * Objects with more members are slow in V8.
 */
export const MAX_JSON_MEMBERS = 10_000;

/**
 * resources that one call adds, and items in a list of a state | of each | 400
 * One call changes the state in one step, while all other requests wait. An archive may have more.
 */
export const MAX_ADDED = 10_000;
/**
 * resources that one call adds, and items in a list of a state | generated resources | 400
 * Generated resources are larger, so that the step takes longer. Several calls add more.
 */
export const MAX_GENERATED = 5000;

/**
 * archive, and file of `--open` | bytes | 413
 * An archive is in memory as a whole.
 */
export const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024;
/**
 * archive, and file of `--open` | lines | 400 with the number of the line
 * Short lines take much more memory than their text.
 */
export const MAX_ARCHIVE_LINES = 1_000_000;
/**
 * archive, and file of `--open` | bytes in a line | 400 with the number of the line
 * The largest image in base64 fits in it.
 */
export const MAX_LINE_BYTES = 48 * 1024 * 1024;
/**
 * archive, and file of `--open` | JSON values in a line | 400 with the number of the line
 * The largest set of changes in the history fits in it.
 */
export const MAX_LINE_VALUES = 2_500_000;

/**
 * integer parameter, such as `offset`, and time of a flag in milliseconds | is the highest value | 400; exit code 2
 * Generated clients store an integer in 32 bits, and timers of Node too.
 */
export const MAX_INT32 = 2 ** 31 - 1;

// Queries and lists

/**
 * `where`, and `sort` | characters in all parameters of the name | 400
 * The server parses the text for each request.
 */
export const MAX_QUERY_TEXT = 4096;

/**
 * `where` | comparisons in all predicates | 400
 * Each resource is compared with all of them.
 */
export const MAX_COMPARISONS = 20;
/**
 * `where` | levels of parentheses | 400
 * The parser calls itself for each level.
 */
export const MAX_NESTING = 20;
/**
 * `where` | values in all predicates | 400
 * Each resource is compared with all of them. The values of a variable count at each use.
 */
export const MAX_QUERY_VALUES = 200;

/**
 * `sort` | different keys | 400
 * Each comparison of two resources reads all keys.
 */
export const MAX_SORT_KEYS = 4;
/**
 * `sort` | resources to sort | 400
 * All other requests wait while the server sorts.
 */
export const MAX_SORTED = 50_000;
/**
 * `sort` | characters of a text | the others do not change the order
 * Long texts with the same start would make the comparisons slow.
 */
export const MAX_SORT_TEXT = 500;

/**
 * page of a query | results (`limit`) | 400
 * The interface has this limit.
 */
export const MAX_PAGE_RESULTS = 500;
/**
 * page of a query | results to skip (`offset`) | 400
 * The interface has this limit.
 */
export const MAX_PAGE_OFFSET = 10_000;

/**
 * text of a page, and of the names in a list of projects or images | characters | 507 with a hint to `limit`
 * The text is in memory as a whole.
 */
export const MAX_LIST_TEXT = 16 * 1024 * 1024;

/**
 * list in the control API | projects, resources or images (`limit`) | 400
 * One response takes less than 0.25 seconds.
 */
export const MAX_LIST_ITEMS = 10_000;
/**
 * list in the control API | requests or tokens (`limit`) | 400
 * A request takes up to 128 KiB of a response.
 */
export const MAX_REQUEST_PAGE = 1000;
/**
 * list in the control API | bytes of requests | the page ends earlier; `next` selects the next page
 * The server creates the entries of a page in one piece.
 */
export const MAX_REQUEST_PAGE_BYTES = 8 * 1024 * 1024;

/**
 * search for requests | characters of `q` | 400
 * The server compares each request with the text.
 */
export const MAX_SEARCH_TEXT = 1000;
/**
 * search for requests | words of `q`, or values of a filter | 400
 * The server compares each request with all of them.
 */
export const MAX_FILTER_VALUES = 20;

/**
 * timeline | intervals | 400
 * A chart shows no more.
 */
export const MAX_INTERVALS = 300;
/**
 * timeline | periods of scenarios | the oldest are left out
 * All projects together can have many more.
 */
export const MAX_TIMELINE_PERIODS = 1000;
/**
 * timeline | periods of scenarios that each project keeps | the oldest are dropped
 * A test that activates scenarios in a loop must not fill the memory.
 */
export const MAX_PERIODS = 100;

// State and projects

/**
 * state of all projects (`--max-state-bytes`) | bytes by default | 507; the write has no effect
 * In memory, a state takes two to five times the length of its JSON.
 */
export const DEFAULT_MAX_STATE_BYTES = 1024 * 1024 * 1024;

/**
 * memory of the process | % of Node's limit (`--max-old-space-size`) | 507 for writes that add to a state
 * A process without free memory spends its time on garbage collection, and ends.
 */
export const MAX_MEMORY_PERCENT = 85;

/**
 * projects (`--max-projects`) | by default | 507 `InsufficientStorage`
 * An idle project takes about 2.5 KiB.
 */
export const DEFAULT_MAX_PROJECTS = 20_000;

/**
 * snapshots of a project | snapshots | 409 `LimitReached`
 * Each snapshot may keep a whole state in memory.
 */
export const MAX_SNAPSHOTS = 100;

/**
 * clock of a project | changes whose times are kept | a token without scopes from between the oldest may live longer
 * Tokens without scopes belong to no project, so each project knows what its clock showed when they were issued.
 */
export const MAX_CLOCK_CHANGES = 100;

/**
 * version of a resource | is the highest | 400
 * Numbers up to this one, and their sums, are exact.
 */
export const MAX_COUNT = 1e15;

/**
 * shared store | ms of `--share-ttl` | exit code 2
 * A store without an end of its data would fill up.
 */
export const MAX_TTL_MS = 31_536_000_000;
/**
 * shared store | ms for a response | 503 `ServiceUnavailable`
 * A connection without a response counts as broken.
 */
export const STORE_TIMEOUT_MS = 5000;

// Journal and events

/**
 * journal | requests of a project (`journalSize`) | 400; the oldest are dropped
 * Verifications compare all requests of a journal.
 */
export const MAX_JOURNAL_SIZE = 20_000;
/**
 * journal | bytes of all journals and histories | the oldest of the largest are dropped
 * The memory of a server stays flat under load.
 */
export const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;

/**
 * body in the journal, and value in the history | bytes | the first part is kept; no rewind (409 `NotRewindable`)
 * Bodies take most of the memory of a journal.
 */
export const MAX_KEPT_BODY = 64 * 1024;

/**
 * other parts of a request in the journal | characters of path and query each | the first part is kept; `cut: true`
 * Over HTTP, Node limits them to this size.
 */
export const MAX_KEPT_TARGET = 16 * 1024;
/**
 * other parts of a request in the journal | characters of other texts | the first part is kept; `cut: true`
 * All parts of an entry have a limit, so the size of a journal is known.
 */
export const MAX_KEPT_TEXT = 1024;
/**
 * other parts of a request in the journal | decisions or unknown parameters | the first are kept; `cut: true`
 * All parts of an entry have a limit, so the size of a journal is known.
 */
export const MAX_KEPT_ITEMS = 1000;

/**
 * headers in the journal, and of a rule's response | headers | the first are kept; 400
 * Real messages have fewer.
 */
export const MAX_HEADERS = 64;
/**
 * headers in the journal, and of a rule's response | characters each | the first part is kept; 400
 * Node accepts 16 KiB of headers together.
 */
export const MAX_HEADER_VALUE = 8 * 1024;

/**
 * decisions of a request | rules without effect | the others are counted
 * A project can have many rules that do not match.
 */
export const MAX_SKIPPED_RULES = 100;
/**
 * decisions of a request | characters each | the first part is kept
 * Decisions quote values of the request.
 */
export const MAX_DECISION = 500;

/**
 * changes of a request or call in the history | values | none are kept; no rewind (409 `NotRewindable`)
 * The history keeps what tests change, and not the import of a whole state.
 */
export const MAX_CHANGES = 5000;
/**
 * changes of a request or call in the history | bytes | none are kept; no rewind (409 `NotRewindable`)
 * All histories share the memory of the journals.
 */
export const MAX_CHANGES_SIZE = 4 * 1024 * 1024;

/**
 * violations in the coverage of a project | locations | the others are counted together
 * A client can send violations at any number of locations.
 */
export const MAX_VIOLATION_LOCATIONS = 1000;

/**
 * wait for requests | ms | 400
 * Proxies close connections that are quiet for longer.
 */
export const MAX_WAIT_MS = 60_000;
/**
 * wait for requests | waits in a project | 409 `LimitReached`
 * Each new request is compared with all of them.
 */
export const MAX_WAITS = 100;

/**
 * failed verification | differences of a request | the others are left out
 * The first differences show the reason.
 */
export const MAX_DIFFERENCES = 20;
/**
 * failed verification | bytes of a body | the first part is shown
 * A response with several requests stays readable.
 */
export const MAX_BRIEF_BODY = 8 * 1024;

/**
 * pact of a project | interactions | `metadata` lists the omitted interactions
 * A verification of the provider sends all of them.
 */
export const MAX_INTERACTIONS = 1000;
/**
 * pact of a project | characters | `metadata` lists the omitted interactions
 * A pact is in memory as a whole.
 */
export const MAX_PACT_TEXT = 8 * 1024 * 1024;

/**
 * kept events of all projects | events | the oldest are dropped; late readers receive `gap`
 * Readers that reconnect receive the events that they missed.
 */
export const MAX_KEPT_EVENTS = 4000;
/**
 * kept events of all projects | with several replicas | the oldest are dropped; late readers receive `gap`
 * The replicas read the events of all others.
 */
export const MAX_SHARED_EVENTS = 10_000;
/**
 * kept events of all projects | ms without a reader | all are dropped; late readers receive `gap`
 * Without readers, events cost no time.
 */
export const KEEP_EVENTS_MS = 60_000;

/**
 * event | characters of the path, and of the query | the first part is sent; the journal has all
 * An event is a notice, and a page can load the rest.
 */
export const MAX_EVENT_TEXT = 500;
/**
 * event | resources that one step changes | one event for all
 * An import changes thousands of resources.
 */
export const MAX_SEPARATE_EVENTS = 100;

/**
 * readers of events | on a server | 503 with `Retry-After`
 * Each event is sent to all of them.
 */
export const MAX_READERS = 200;
/**
 * readers of events | events of a type in a second with `summary=true` | a `summary` event counts the others
 * A page cannot show more.
 */
export const MAX_SINGLE_EVENTS = 50;
/**
 * readers of events | projects in a `summary` event | `others` counts their events
 * The size of an event does not grow with the number of projects.
 */
export const MAX_SUMMARY_PROJECTS = 100;

// Rules and patterns

/**
 * rules and functions of a project, and rules of its active scenarios | of each | 409 `LimitReached`
 * The server compares each request with all of them.
 */
export const MAX_RULES = 1000;

/**
 * memory of the rules of a project, and of a file of scenarios | bytes | 409 `LimitReached`; exit code 2
 * Fixtures are for large bodies.
 */
export const MAX_RULE_BYTES = 16 * 1024 * 1024;

/**
 * scenarios | files in a folder | exit code 2
 * The server reads all files at its start.
 */
export const MAX_SCENARIO_FILES = 1000;
/**
 * scenarios | rules of a scenario, or requests in the order of a verification | 400
 * A scenario that a person can read has fewer.
 */
export const MAX_SCENARIO_RULES = 100;
/**
 * scenarios | steps in a `sequence` | 400
 * A longer sequence is a mistake.
 */
export const MAX_STEPS = 1000;
/**
 * scenarios | steps in all rules of a scenario | 400
 * To compile a step takes up to 35 microseconds.
 */
export const MAX_SEQUENCE_STEPS = 5000;

/**
 * numbers in rules and settings | requests in `times`, `after` and `rateLimit` | 400
 * Counters stay exact.
 */
export const MAX_TIMES = 1_000_000_000;
/**
 * numbers in rules and settings | ms in the window of `rateLimit` | 400
 * Longer windows are a mistake in the unit.
 */
export const MAX_WINDOW_MS = 86_400_000;
/**
 * numbers in rules and settings | chunks of a body in `chunkedDribbleDelay` | 400
 * Each chunk waits for a timer.
 */
export const MAX_CHUNKS = 1000;

/**
 * delay of a response, and `--upstream-timeout` | ms | 400; exit code 2
 * Clients have given up by then.
 */
export const MAX_DELAY_MS = 600_000;

/**
 * values from the request in a rule (`$from`) | characters of the body with them | 400
 * Each response renders the whole body.
 */
export const MAX_TEMPLATE_TEXT = 64 * 1024;
/**
 * values from the request in a rule (`$from`) | characters inserted in a response | 500 `InvalidStub`
 * A body with many templates could repeat a large value.
 */
export const MAX_INSERTED = 1024 * 1024;

/**
 * body that `evolve` changes | characters | the response stays as it is, and the decisions say so
 * Each response parses and writes the whole body.
 */
export const MAX_EVOLVED = 512 * 1024;
/**
 * body that `evolve` changes | characters of new members and items | no more are added
 * Clients with a limit for the size of a body still read it.
 */
export const MAX_GROWTH = 256 * 1024;

/**
 * match of a rule, a verification or a wait | characters | 400
 * Twice the size of a body in the journal.
 */
export const MAX_MATCH_TEXT = 128 * 1024;

/**
 * pattern (`matches`) | characters | 400
 * Longer patterns cannot be read.
 */
export const MAX_PATTERN_LENGTH = 500;
/**
 * pattern (`matches`) | RE2 instructions | 400
 * Counted repetitions are expanded, so 500 characters can produce 460,000 instructions.
 */
export const MAX_INSTRUCTIONS = 600;
/**
 * pattern (`matches`) | characters in all values of a name that it tests | they do not match
 * A test takes time in proportion to instructions times characters: at both limits, 50 ms on a slow core.
 */
export const MAX_MATCHED_TEXT = 4096;

/**
 * items that the `contains` of a match are compared with | items | the others do not match
 * A request is compared with up to 1,000 rules. The patterns in `contains` share the limit of a pattern's text.
 */
export const MAX_CONTAINED_ITEMS = 1000;

/**
 * patterns of a match, of the active rules, and of the waits of a project | RE2 instructions | 400; 409 `LimitReached`
 * Every request is compared with them.
 */
export const MAX_PATTERNS_SIZE = 2000;

/**
 * patterns of a call over the journal | instructions × characters | 409 `LimitReached`
 * Other requests run in between, but the call must end.
 */
export const MAX_PATTERN_STEPS = 500_000_000;

// Upstream

/**
 * wait for the upstream, of a tool for the mock, and for `Retry-After` | ms | 504 `GatewayTimeout`; an error
 * A service that responds later has failed for most clients.
 */
export const RESPONSE_TIMEOUT_MS = 30_000;

/**
 * bodies that the mock checks, records and applies rules to | bytes each | they are passed on unchecked
 * The mock keeps the whole body, and clients wait for the check.
 */
export const MAX_CHECKED_BYTES = 1024 * 1024;
/**
 * bodies that the mock checks, records and applies rules to | large ones that wait | they are passed on unchecked
 * Slow clients must not fill the memory.
 */
export const MAX_CHECKED_BODIES = 64;

/**
 * percent-encodings of a character in a path | encodings | 400
 * Services decode once, and those behind a gateway twice.
 */
export const MAX_ENCODINGS = 4;

/**
 * recorded fixtures | files of a run | the decisions say so; requests are forwarded as before
 * A client in a loop must not fill the disk.
 */
export const MAX_RECORDED_FILES = 10_000;
/**
 * recorded fixtures | bytes of a run | the decisions say so; requests are forwarded as before
 * A client in a loop must not fill the disk.
 */
export const MAX_RECORDED_BYTES = 256 * 1024 * 1024;
/**
 * recorded fixtures | credentials of a request | the decisions say so; requests are forwarded as before
 * The mock looks for each of them in each text of the body.
 */
export const MAX_RECORDED_SECRETS = 50;

// Tokens

/**
 * token | scopes | 400
 * A token has few scopes for each project.
 */
export const MAX_SCOPES = 20;
/**
 * token | characters of a scope | 400
 * A scope contains a project key.
 */
export const MAX_SCOPE_LENGTH = 512;
/**
 * token | seconds until it expires | 400
 * Ten years are longer than any test.
 */
export const MAX_EXPIRES_IN = 315_360_000;

/**
 * tokens | for each project, and for no project | the server forgets the oldest token
 * A test that requests a token for each call must not fill the memory.
 */
export const MAX_PROJECT_TOKENS = 2000;
/**
 * tokens | together | the server forgets the oldest token
 * A test that requests a token for each call must not fill the memory.
 */
export const MAX_TOKENS = 10_000;

/**
 * revoked tokens that have not expired | tokens | 503 `temporarily_unavailable`, 409 `LimitReached`
 * The server must not forget that it has revoked a token.
 */
export const MAX_REVOKED_TOKENS = 100_000;

// Connections

/**
 * time of a request | ms for the headers, and for the TLS handshake | 408; the connection ends
 * Connections that send nothing must not accumulate.
 */
export const HEADERS_TIMEOUT_MS = 10_000;
/**
 * time of a request | ms for the whole request | 408
 * Requests that never end must not accumulate.
 */
export const REQUEST_TIMEOUT_MS = 60_000;
/**
 * time of a request | ms without a byte sent, or without 256 KiB read | 408; the connection or stream ends
 * The memory of a response that nobody reads becomes free. It also ends HTTP/2 sessions without requests.
 */
export const IDLE_TIMEOUT_MS = 30_000;

/**
 * time to complete requests when the server stops | ms | the connections end
 * The server must end within a second.
 */
export const DRAIN_MS = 700;

/**
 * responses above 256 KiB, or over HTTP/2, that wait for their clients | bytes together | the slowest connections end
 * Clients that do not read must not fill the memory.
 */
export const MAX_UNSENT_BYTES = 256 * 1024 * 1024;

/**
 * rest of a body after its response | bytes | the connection or stream ends
 * A client that still sends would otherwise lose the response.
 */
export const MAX_IGNORED_BYTES = 64 * 1024 * 1024;

/**
 * pipelined requests that wait on a connection | requests | the connection ends
 * The server responds in order, so waiting requests take memory.
 */
export const MAX_PIPELINED = 1000;

/**
 * HTTP/2 session | requests in progress | the server refuses the stream
 * A client must not fill the memory with one connection.
 */
export const MAX_STREAMS = 100;
/**
 * HTTP/2 session | bytes of headers of a request | 431; the stream ends
 * Up to this limit, Node passes headers on, so that the response can be 431.
 */
export const MAX_READ_HEAD_BYTES = 64 * 1024;
/**
 * HTTP/2 session | MB of memory | the server resets new streams
 * Node counts the bytes that wait to be sent: at most one piece of a body for each stream.
 */
export const MAX_SESSION_MB = 64;

/**
 * names of `--tls-name` | names | exit code 2
 * Clients reject large certificates.
 */
export const MAX_CERTIFICATE_NAMES = 100;

// Errors and tools

/**
 * error | problems | the others are counted
 * The size of an error does not grow with the request.
 */
export const MAX_ERROR_DETAILS = 20;
/**
 * error | characters of a problem | the first part is shown
 * Messages quote values of the request.
 */
export const MAX_ERROR_TEXT = 1000;
/**
 * error | problems, violations or differences that are counted | “at least”
 * The work of the validation does not grow with the request.
 */
export const MAX_PROBLEMS = 100;

/**
 * JSON with an error | characters of all JSON pointers | the error has only the first problem
 * Each problem contains its pointer, so the work grows with their length.
 */
export const MAX_POINTER_TEXT = 1024 * 1024;
/**
 * JSON with an error | characters | the error does not locate an unexpected token
 * The search parses the text several times.
 */
export const MAX_SEARCHED_TEXT = 64 * 1024;

/**
 * “Did you mean” | known names of a similar length | one of the first is suggested
 * The work does not grow with the number of names. Names are at most `MAX_NAME` long.
 */
export const MAX_SUGGESTIONS = 1000;

/**
 * messages, reports and results of tools | items of a list | the others are counted
 * Readers look at the first items.
 */
export const MAX_LISTED = 10;
/**
 * messages, reports and results of tools | characters of a text | the first part is shown
 * A message stays readable.
 */
export const MAX_SHOWN_TEXT = 300;
/**
 * messages, reports and results of tools | characters of a body or value | the first part is shown
 * Results with several requests stay readable.
 */
export const MAX_SHOWN_VALUE = 2000;
/**
 * messages, reports and results of tools | characters of a single body or output | the first part is shown
 * A single body is often the reason for the call.
 */
export const MAX_SHOWN_BODY = 16_000;

/**
 * failed test | requests in its report | the others are counted
 * The last requests usually show why a test failed. A test may send thousands.
 */
export const MAX_SHOWN_REQUESTS = 50;
/**
 * failed test | characters of its name in an archive | the first part is kept; 400
 * The names of nested suites are parts of it.
 */
export const MAX_TEST_NAME = 1000;

/**
 * `mcp` | characters of a result | it has fewer items, and a note says how to read the rest
 * Clients pass results to a model, whose context is small.
 */
export const MAX_RESULT = 60_000;
/**
 * `mcp` | projects in a result | an error
 * Clients pass results to a model, whose context is small.
 */
export const MAX_SHOWN_PROJECTS = 500;
/**
 * `mcp` | requests in a result | an error
 * Clients pass results to a model, whose context is small.
 */
export const MAX_RESULT_REQUESTS = 100;
/**
 * `mcp` | decisions of a request | the others are counted
 * The first decisions name the rules that took effect.
 */
export const MAX_SHOWN_DECISIONS = 30;
/**
 * `mcp` | added resources in a result | the others are counted
 * Clients pass results to a model, whose context is small.
 */
export const MAX_SHOWN_ADDED = 20;

/**
 * `verify` | bytes of a response | the check that sent the request is skipped
 * The command keeps the whole response.
 */
export const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
/**
 * `verify` | requests in a row without a response | the command only deletes its resources
 * The service has probably stopped.
 */
export const MAX_SILENT_REQUESTS = 4;
/**
 * `verify` | repeated requests after 429 | 429 is the response
 * A run sends more requests than many services allow.
 */
export const MAX_REPEATS = 5;
/**
 * `verify` | errors, and late or invalid responses, that the last checks judge | the others are not judged
 * The memory of a run stays small.
 */
export const MAX_JUDGED_RESPONSES = 500;

/**
 * `verify` and `sweep`: `--jobs` | at a time | exit code 2
 * A run with more would be slower.
 */
export const MAX_JOBS = 64;

/**
 * `sweep` | bytes of the start, and of the end, of an output | the middle is left out
 * Test runners print errors at the end.
 */
export const MAX_OUTPUT_PART = 256 * 1024;
/**
 * `sweep` | calls whose projects a mock notes | all tests run again for the operation
 * A load test must not fill the disk.
 */
export const MAX_NOTED_CALLS = 10_000;
