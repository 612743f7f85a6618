/*
 * Every limit that a user can meet. `npm run docs` writes docs/limits.md from this file: each heading becomes a table,
 * and each block a row. The limits below the last heading are not in the document.
 *
 * The first line of a block says what the limits bound | what happens beyond them. The next lines say why. A comment
 * after each constant has its unit, and | what happens beyond this limit, if it differs. A character is a UTF-16 code
 * unit.
 */

// # Requests and bodies

// request line and headers | 431
// Node has this limit for HTTP/1.1, and HTTP/2 gets the same.
export const MAX_HEAD_BYTES = 16 * 1024; // bytes together

// project key (with its sandbox), resource id, resource key, client id | 400; if a path contains the id or key, 404
// They appear in logs, headers, pointers and names of files.
export const MAX_ID = 256; // characters each

// id that consists of several path parameters | 400; if a path contains the id, 404
// Each part has the limit of an id. The id names a line of an archive.
export const MAX_ITEM_ID = 1024; // characters after percent-encoding

// request body | 413
// JSON is parsed and stored in one piece while all other requests wait: 4 MiB take less than 0.2 seconds. An image is
// in memory as a whole. Archives and generated resources hold more.
export const MAX_JSON_BYTES = 4 * 1024 * 1024; // bytes for JSON by default
export const MAX_BODY_BYTES = 8 * 1024 * 1024; // bytes for JSON in the control API; also the maximum of the setting `maxBodyBytes`
export const MAX_IMAGE_BYTES = 32 * 1024 * 1024; // bytes for an image; also the maximum of the setting `maxImageBytes`
export const MAX_FORM_BYTES = 64 * 1024; // bytes for a token request

// bodies of all requests in progress | 503 with `Retry-After`
// Slow clients must not fill the memory.
export const MAX_RECEIVED_BYTES = 256 * 1024 * 1024; // bytes together

// JSON body | 400
// Deep values exhaust the stack, and the time to validate and store a body grows with its values. A resource in a state
// or an archive can be as deep as in a body of its own.
export const MAX_JSON_DEPTH = 200; // levels of nesting
export const MAX_STATE_DEPTH = 202; // levels of nesting in a state document
export const MAX_ITEM_DEPTH = 203; // levels of nesting in an archive's line for an item
export const MAX_JSON_VALUES = 200_000; // object members, array items, objects and arrays together
export const MAX_JSON_MEMBERS = 10_000; // members of one object

// resources or images that one control API call adds | 400
// One call changes the state in one step, while all other requests wait. An archive may have more.
export const MAX_ADDED = 10_000; // resources or images
export const MAX_GENERATED = 5000; // generated resources

// archive of a project | 413
// An archive is in memory as a whole.
export const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024; // bytes

// operations of a JSON Patch | 400
// Each operation finds its part of the item by its path.
export const MAX_PATCH = 1000; // operations

// update actions in a request | 400
// Each action looks for its part of the item by its name.
export const MAX_ACTIONS = 500; // actions

// OpenAPI document | the command exits with code 2
// The mock reads a document in one piece at its start. Aliases of YAML can make a short text a document without an end.
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024; // bytes for all files of the document together
export const MAX_DOCUMENT_VALUES = 3_000_000; // JSON values
export const MAX_DOCUMENT_DEPTH = 1000; // levels of nesting

// # Queries and lists

// parameters `where` and `sort`, and filters of the journal | 400
// The server parses the text for each request, and compares all resources or requests with each part.
export const MAX_QUERY_TEXT = 4096; // characters for all values of a parameter together
export const MAX_COMPARISONS = 20; // comparisons in `where`, words in `q`, or values of a filter
export const MAX_NESTING = 20; // levels of parentheses in `where`
export const MAX_QUERY_VALUES = 200; // values in `where`

// `sort` | 400
// All other requests wait while the server sorts.
export const MAX_SORT_KEYS = 4; // sort keys
export const MAX_SORTED = 50_000; // sorted resources

// page of query results | 400
// The interface has this limit.
export const MAX_PAGE_RESULTS = 500; // results (`limit`)
export const DEFAULT_PAGE_RESULTS = 20; // results without `limit`
export const MAX_PAGE_OFFSET = 10_000; // skipped results (`offset`)

// page of the journal | the page has fewer requests; `next` leads to the next page
// A response takes less than 0.25 seconds: up to 128 KiB for each request.
export const MAX_REQUEST_PAGE_BYTES = 8 * 1024 * 1024; // bytes

// # State, projects and tokens

// state of all projects (`--max-state-bytes`) | 507; the write has no effect
// In memory, a state takes two to five times the length of its JSON.
export const DEFAULT_MAX_STATE_BYTES = 1024 * 1024 * 1024; // bytes by default

// memory of the process | 507 for writes that add state
// A process without free memory spends its time on garbage collection, and ends.
export const MAX_MEMORY_PERCENT = 85; // % of Node's limit (`--max-old-space-size`)

// number of projects (`--max-projects`) | 507 `InsufficientStorage`
// An idle project takes about 2.5 KiB.
export const DEFAULT_MAX_PROJECTS = 20_000; // projects by default

// response time of the store (`--share`) | 503 `ServiceUnavailable`
// A connection without a response counts as broken.
export const STORE_TIMEOUT_MS = 5000; // ms

// token | 400
// A scope contains a project key. Ten years are longer than any test.
export const MAX_SCOPES = 20; // scopes
export const MAX_SCOPE_LENGTH = 512; // characters per scope
export const MAX_EXPIRES_IN = 315_360_000; // seconds until the token expires

// issued tokens | the server forgets the oldest token
// A test that requests a token for each call must not fill the memory.
export const MAX_PROJECT_TOKENS = 2000; // tokens per project
export const MAX_TOKENS = 10_000; // tokens of all projects

// # Journal and events

// journal | the server drops the oldest requests
// Verifications compare all requests of a journal. The memory of a server stays flat under load.
export const MAX_JOURNAL_SIZE = 20_000; // requests per project; also the maximum of the setting `journalSize`
export const MAX_JOURNAL_BYTES = 64 * 1024 * 1024; // bytes for the journals and histories of all projects together

// body in the journal, or changed value in the history | the server keeps only the start of the body or value; a rewind that needs the whole value fails (409 `NotRewindable`)
// Bodies take most of the memory of a journal.
export const MAX_KEPT_BODY = 64 * 1024; // bytes

// texts and lists in a journal entry, except bodies | the journal keeps only the start of the text or list, with `cut: true`
// All parts of an entry have a limit, so the size of a journal is known. Real messages have fewer headers. Node accepts
// 16 KiB of headers together.
export const MAX_KEPT_TARGET = 16 * 1024; // characters each of the path and the query string
export const MAX_KEPT_TEXT = 1024; // characters of any other text, except headers
export const MAX_KEPT_ITEMS = 1000; // decisions (reasons for the response), or unknown parameters
export const MAX_HEADERS = 64; // headers
export const MAX_HEADER_VALUE = 8 * 1024; // characters per header

// changes of the state by one request or control API call | the history does not record these changes, so a rewind of these changes fails (409 `NotRewindable`)
// The history keeps what tests change, and not the import of a whole state. It shares the memory of the journals.
export const MAX_CHANGES = 5000; // changed values
export const MAX_CHANGES_SIZE = 4 * 1024 * 1024; // bytes

// timeout of a call that waits for requests | 400
// Proxies close connections that are quiet for longer.
export const MAX_WAIT_MS = 60_000; // ms

// calls that wait for requests at the same time | 409 `LimitReached`
// Each new request is compared with all of them.
export const MAX_WAITS = 100; // calls per project

// failed verifications that a project keeps | the server drops the oldest verification
// They say which tests failed. A suite that polls must not fill the memory.
export const MAX_FAILED_VERIFICATIONS = 50; // verifications per project

// pact of a project | the pact lists the omitted interactions
// A verification of the provider sends all of them, and a pact is in memory as a whole.
export const MAX_INTERACTIONS = 1000; // interactions
export const MAX_PACT_TEXT = 8 * 1024 * 1024; // characters

// events that the server keeps | a reader that reconnects later receives the event `gap`
// Readers that reconnect receive the events that they missed. Replicas read the events of all others.
export const MAX_KEPT_EVENTS = 4000; // events of all projects
export const MAX_SHARED_EVENTS = 10_000; // events with several replicas
export const KEEP_EVENTS_MS = 60_000; // ms after the last reader has disconnected (one process)

// # Rules and patterns

// rules and functions of a project, or rules of its active scenarios | 409 `LimitReached`
// The server compares each request with all of them.
export const MAX_RULES = 1000; // each

// delay of a response, or value of `--upstream-timeout` | 400; for the flag, exit code 2
// Clients have given up by then.
export const MAX_DELAY_MS = 600_000; // ms

// body that the effect `evolve` changes | the body stays unchanged
// Each response parses and writes the whole body. At most as many characters are added.
export const MAX_EVOLVED = 512 * 1024; // characters

// pattern (`matches`) | 400
// Counted repetitions are expanded, so 500 characters can produce 460,000 instructions. A test takes time in proportion
// to instructions times characters of the tested text: at both limits, 50 ms on a slow core.
export const MAX_PATTERN_LENGTH = 500; // characters
export const MAX_INSTRUCTIONS = 600; // RE2 instructions after compilation

// text that a pattern tests | the pattern does not match
// With the limit of instructions, it bounds the time of a test.
export const MAX_MATCHED_TEXT = 4096; // characters

// items of an array that `contains` compares | further items do not match
// A request is compared with up to 1,000 rules. Patterns in `contains` share the limit of a pattern's text.
export const MAX_CONTAINED_ITEMS = 1000; // items

// all patterns of one match, of a project's active rules, or of a project's waiting calls | for a match, 400; otherwise 409 `LimitReached`
// Every request is compared with them.
export const MAX_PATTERNS_SIZE = 2000; // RE2 instructions together

// # Connections and upstream

// time for a request | 408, or the connection ends
// Connections and requests that never end, and responses that nobody reads, must not fill the memory. The last limit
// also ends HTTP/2 sessions without requests.
export const HEADERS_TIMEOUT_MS = 10_000; // ms for the TLS handshake, or for the headers
export const REQUEST_TIMEOUT_MS = 60_000; // ms for the whole request
export const IDLE_TIMEOUT_MS = 30_000; // ms in which the client sends nothing, or reads less than 256 KiB

// time until the upstream responds, or the mock responds to a `resource-mock` command | 504 `GatewayTimeout`, or the command fails
// A service that responds later has failed for most clients.
export const RESPONSE_TIMEOUT_MS = 30_000; // ms by default

// bodies that the mock checks to and from the upstream | the mock forwards other bodies without a check
// The mock keeps the whole body, and slow clients must not fill the memory.
export const MAX_CHECKED_BYTES = 1024 * 1024; // bytes each
export const MAX_CHECKED_BODIES = 64; // bodies above 64 KiB at a time

// fixtures that the mock records between its start and its stop | the mock forwards requests without recording fixtures
// A client in a loop must not fill the disk. The mock looks for each credential in each text of the body.
export const MAX_RECORDED_FILES = 10_000; // files
export const MAX_RECORDED_BYTES = 256 * 1024 * 1024; // bytes
export const MAX_RECORDED_SECRETS = 50; // credentials in a request and its response together

// # Unlisted

// item in an archive | 400
// They are names of lines.
export const MAX_COLLECTION_NAME = 2048; // characters of the collection's name
export const MAX_ALTERNATES = 10; // members besides the id that identify the item, such as `key`
export const MAX_IDENTITY = 1100; // characters of such a member's name and value together

// page of a control API list | 400
// A response takes less than 0.25 seconds.
export const MAX_LIST_ITEMS = 10_000; // projects, resources, images or tokens
export const MAX_REQUEST_PAGE = 1000; // requests

// name in brackets (`a[b]`) of a query or form | the whole name counts as one without brackets
// No client nests deeper.
export const MAX_BRACKETS = 10; // levels

// memory of a project's rules, or of a scenario file | 409 `LimitReached`; exit code 2 for a file
// Fixtures are for large bodies.
export const MAX_RULE_BYTES = 16 * 1024 * 1024; // bytes

// requests in progress on an HTTP/2 connection | the server refuses further requests
// A client must not fill the memory with one connection.
export const MAX_STREAMS = 100; // requests

// readers of event streams | 503 with `Retry-After`
// Each event is sent to all of them.
export const MAX_READERS = 200; // per server

// `--share-ttl` | exit code 2
// A store without an end of its data fills up.
export const MAX_TTL_MS = 31_536_000_000; // ms

// lines of an archive | 400 with the line number
// Short lines take much more memory than their text. A line has the limits of a JSON body, and room for what is stored with
// it. A resource can have two texts of a body: its content, and that of an update. The large lines are the largest image
// in base64, the largest set of changes in the history, which has five levels around a resource, and scenarios of files.
export const MAX_ARCHIVE_LINES = 1_000_000; // lines
export const MAX_LINE_BYTES = 3 * MAX_BODY_BYTES; // bytes
export const MAX_LARGE_LINE_BYTES = 48 * 1024 * 1024; // bytes of an image, set of changes, scenario or coverage
export const MAX_LINE_VALUES = MAX_JSON_VALUES + 100; // JSON values
export const MAX_LARGE_LINE_VALUES = 2_500_000; // JSON values in a set of changes or scenario
export const MAX_LINE_DEPTH = 206; // levels of nesting in a set of changes, rule or scenario

// rules without effect that a journal entry lists | the entry counts further rules
// A request is compared with up to 1,000 rules.
export const MAX_SKIPPED_RULES = 100; // rules

// locations of contract violations in the coverage | the report has one number for violations at all further locations
// A client can send violations at any number of locations.
export const MAX_VIOLATION_LOCATIONS = 1000; // per project

// contract whose coverage lists all operations | it lists operations with requests, and the ids of the others
// Most operations of a large contract have no requests.
export const MAX_NAMED_OPERATIONS = 100; // operations

// text that `sort` compares | `sort` ignores the rest of the text
// Long texts with the same start make comparisons slow.
export const MAX_SORT_TEXT = 500; // characters

// path of a value in a pact | the pact has no matcher for the value
// Each value below has the path in its own.
export const MAX_PACT_PATH = 200; // characters

// snapshots of a project | 409 `LimitReached`
// Each snapshot may keep a whole state in memory.
export const MAX_SNAPSHOTS = 100; // snapshots

// large responses that wait for slow clients | the server closes the slowest connections
// Clients that do not read must not fill the memory.
export const MAX_UNSENT_BYTES = 256 * 1024 * 1024; // bytes together

// memory of an HTTP/2 connection | the server resets new requests
// The memory is that of bytes that wait to be sent: at most one piece of a body for each stream.
export const MAX_SESSION_MB = 64; // MB

// headers of an HTTP/2 request that Node reads | 431; the stream ends
// Up to this limit, Node passes headers on, so that the response can be 431.
export const MAX_READ_HEAD_BYTES = 64 * 1024; // bytes

// integer parameter, and milliseconds in a flag | 400; exit code 2
// Generated clients store an integer in 32 bits, and timers of Node too.
export const MAX_INT32 = 2 ** 31 - 1; // at most

// text of a page | 507; use a smaller `limit`
// The text is in memory as a whole.
export const MAX_LIST_TEXT = 16 * 1024 * 1024; // characters

// scenarios | 400
// A scenario that a person can read has fewer. To compile a step takes up to 35 microseconds.
export const MAX_SCENARIO_FILES = 1000; // files in a folder | exit code 2
export const MAX_SCENARIO_RULES = 100; // rules of a scenario, or requests in an ordered verification
export const MAX_STEPS = 1000; // steps of all sequences, or chunks of `chunkedDribbleDelay`

// changes of a project's clock | tokens without scopes may expire later
// Tokens without scopes belong to no project, so each project knows what its clock showed when they were issued.
export const MAX_CLOCK_CHANGES = 100; // changes

// resources changed in one step | one event for all
// An import changes thousands of resources. A page cannot show more.
export const MAX_SEPARATE_EVENTS = 100; // resources
export const MAX_SINGLE_EVENTS = 50; // events of a type in a second, with `summary=true` | a `summary` event counts them
export const MAX_LISTED_COLLECTIONS = 100; // collections of a type in the list of types | further ones are not listed
export const MAX_SUMMARY_PROJECTS = 100; // projects in a `summary` event | `others` counts their events

// report of a failed test | the others are counted
// The last requests usually show why a test failed. A test may send thousands.
export const MAX_SHOWN_REQUESTS = 50; // requests

// `compare` | the check that sent the request is skipped
// The service has probably stopped, or limits its requests. The memory of a run stays small.
export const MAX_RESPONSE_BYTES = 32 * 1024 * 1024; // bytes of a response
export const MAX_SILENT_REQUESTS = 4; // requests in a row without a response | the command only deletes its resources
export const MAX_REPEATS = 5; // repeated requests after 429 | 429 is the response

// `--jobs` of `compare` and `sweep` | exit code 2
// A run with more would be slower.
export const MAX_JOBS = 64; // runs at a time

// name of a sandbox, scenario, snapshot or pact participant | 400
// They appear in messages and paths. With a project key, the name of a sandbox fits into `MAX_ID`.
export const MAX_NAME = 100; // characters

// timeline | 400
// A chart shows no more. A test that activates scenarios in a loop must not fill the memory.
export const MAX_INTERVALS = 300; // intervals
export const MAX_TIMELINE_PERIODS = 1000; // periods of scenarios | the oldest are missing
export const MAX_PERIODS = 100; // periods of scenarios in a project | the oldest are missing

// version of a resource | 400
// Numbers up to this one, and their sums, are exact.
export const MAX_COUNT = 1e15; // at most

// numbers in rules and settings | 400
// Counters stay exact.
export const MAX_TIMES = 1_000_000_000; // in `times`, `after` and `rateLimit`

// values from the request (`$from`) | 400
// Each response renders the whole body, and templates can repeat a large value.
export const MAX_TEMPLATE_TEXT = 64 * 1024; // characters of the rule's body
export const MAX_INSERTED = 1024 * 1024; // inserted characters | 500 `InvalidStub`

// JSON of a match | 400
// Twice the size of a body in the journal.
export const MAX_MATCH_TEXT = 128 * 1024; // characters

// patterns in a search of the journal | 409 `LimitReached`
// Other requests run in between, but the call must end.
export const MAX_PATTERN_STEPS = 500_000_000; // instructions × characters

// percent-encodings of a character in a path | 400
// Services decode once, and those behind a gateway twice.
export const MAX_ENCODINGS = 4; // encodings

// revoked tokens that have not expired | 503 `temporarily_unavailable`; 409 `LimitReached`
// The server must not forget that it has revoked a token.
export const MAX_REVOKED_TOKENS = 100_000; // tokens

// `--tls-name` | exit code 2
// Clients reject large certificates.
export const MAX_CERTIFICATE_NAMES = 100; // names

// time to complete requests when the server stops | the connections end
// The server must end within a second.
export const DRAIN_MS = 700; // ms

// rest of a body after its response | the connection or stream ends
// A client that still sends would otherwise lose the response.
export const MAX_IGNORED_BYTES = 64 * 1024 * 1024; // bytes

// pipelined requests that wait on a connection | the connection ends
// The server responds in order, so waiting requests take memory.
export const MAX_PIPELINED = 1000; // requests

// error, and failed verification | the others are counted
// The size of a response and the work of the validation do not grow with the request.
export const MAX_DETAILS = 20; // problems, or differences of a request
export const MAX_PROBLEMS = 100; // problems, violations or differences that are counted | “at least”
export const MAX_TEXT = 1000; // characters of a problem, decision, event, or name of a test | the first part is shown
export const MAX_BRIEF_BODY = 8 * 1024; // bytes of a body in a verification | the first part is shown

// JSON with an error | the error has only the problems found until then
// Unions in unions multiply the work. The search for a token parses the text several times.
export const MAX_OPTIONS = 100_000; // options of unions for the parts of a value
export const MAX_POINTER_TEXT = 1024 * 1024; // characters of all JSON pointers
export const MAX_SEARCHED_TEXT = 64 * 1024; // characters | the error does not locate an unexpected token

// “Did you mean” | one of the first is suggested
// The work does not grow with the number of names. Names are at most `MAX_NAME` long.
export const MAX_SUGGESTIONS = 1000; // known names of a similar length

// messages, reports and results of tools | the first part is shown
// Messages and results with several requests stay readable. A single body is often the reason for the call.
export const MAX_LISTED = 10; // items of a list | the others are counted
export const MAX_SHOWN_TEXT = 300; // characters of a text
export const MAX_SHOWN_VALUE = 2000; // characters of a body or value
export const MAX_SHOWN_BODY = 16_000; // characters of a single body or output

// `mcp` | an error
// Clients pass results to a model, whose context is small.
export const MAX_RESULT = 60_000; // characters of a result | it has fewer items, and a note says how to read the rest
export const MAX_SHOWN_PROJECTS = 500; // projects in a result
export const MAX_RESULT_REQUESTS = 100; // requests in a result
export const MAX_SHOWN_ITEMS = 20; // decisions of a request, or added resources | the others are counted

// message to `mcp` | the command ignores the message, and prints a line
// A message is in memory as a whole.
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024; // bytes

// `sweep` | the middle is left out
// Test runners print errors at the end. A load test must not fill the disk.
export const MAX_OUTPUT_PART = 256 * 1024; // bytes of the start, and of the end, of an output
export const MAX_NOTED_CALLS = 10_000; // calls whose projects a mock notes | all tests run again for the operation
