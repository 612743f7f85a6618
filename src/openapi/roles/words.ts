/* The words of paths, members and parameters that roles depend on. */

/** Returns a name without case and punctuation, as `page_size`, `pageSize` and `page-size` are one name. */
export function plain(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}

/** Nouns whose singular has another form. */
const irregular: Readonly<Record<string, string>> = {
  people: "person",
  children: "child",
  shelves: "shelf",
  leaves: "leaf",
  indices: "index",
  vertices: "vertex",
  matrices: "matrix",
};

/** Returns the singular of an English noun, without case and punctuation. */
export function singular(name: string): string {
  const word = plain(name);
  if (Object.hasOwn(irregular, word)) return irregular[word] ?? word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(sses|shes|ches|xes|zes|uses)$/.test(word)) return word.slice(0, -2);
  return /[^su]s$|eus$/.test(word) && !word.endsWith("is") ? word.slice(0, -1) : word;
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** Members that have the items of a list. */
export const listMembers = setOf(
  "results items data member docs values value records entries content elements rows list hydramember resources objects nodes hits " +
    "documents collection result",
);

/** Members that have a single item. */
export const itemMembers = setOf("data result item resource value payload entity attributes");

/** Members by which items are known. An object with one is an item, if it is alone in an envelope. */
export const identifying = setOf("id uuid guid name key slug code");

/** Members that have a list together with its facts. */
export const listHolders = setOf("data embedded response result value payload list page");

/** Members that say something about a list or a response. */
export const otherMembers = setOf(
  "total totalcount totalcounts count totalitems totalelements totalresults totalpages pagecount size offset limit page " +
    "pages perpage pagesize pagenumber next nextpage nextcursor nextpagetoken nexttoken nextmarker previous prev cursor " +
    "cursors hasmore hasnext hasnextpage hasprevious first last links link meta metadata paging pagination pageinfo " +
    "apiversion kind self url object success ok status code message messages errors error warnings incompleteresults " +
    "itemsperpage startindex schemas msg errcode requestid traceid haspreviouspage from to path currentpage current number " +
    "numberofelements pageable empty hasprevpage prevpage context type hydratotalitems hydraview facets suggestions version requestid timestamp included jsonapi info took order sort prevmarker",
);

/** What members of an envelope and headers say about a page, by their names. The first row that fits decides. */
export const pageFacts = [
  [
    "total",
    /^(total(count|items|elements|results|size|records|hits|docs)?|hydratotalitems|odatacount|(num|result|filtered|item)(results|count))$/,
  ],
  ["count", /^(count|numberofelements|returned)$/],
  ["limit", /^(limit|perpage|pagesize|itemsperpage|size|maxresults)$/],
  ["offset", /^(offset|skip|start|startindex|startat)$/],
  ["pages", /^(pages|totalpages?|pagecount|lastpage|pagestotal)$/],
  ["page", /^(page|pagenumber|currentpage|current|pageindex|number)$/],
  ["more", /^(hasmore|hasnext(page)?|more)$/],
  ["hasPrevious", /^has(previous|prev)(page)?$/],
  ["first", /^(is)?first(page)?$/],
  ["last", /^(is)?last(page)?$/],
  ["empty", /^(is)?empty$/],
  ["from", /^from$/],
  ["to", /^to$/],
  ["cursor", /^(after|nextcursor|nextpagetoken|nexttoken|nextmarker|continue|continuationtoken|endcursor|cursor)$/],
  ["nextPage", /^nextpage$/],
  ["previousPage", /^prev(ious)?page$/],
  ["next", /^next(url|link|page|href|pageurl)?$/],
  ["previous", /^prev(ious)?(url|link|page|href|pageurl)?$/],
] as const;

/** Objects of an envelope that have facts about the page. */
export const factHolders = setOf("meta metadata pagination paging pageinfo page links link cursors listmeta");

/** Query parameters of lists, by their names. The first row that fits decides. */
export const listParameters = [
  ["limit", /^(limit|perpage|pagesize|size|take|maxresults|max|top|first|count|results|itemsperpage|resultsperpage)$/],
  ["offset", /^(offset|skip|start|startindex|from|startat)$/],
  ["page", /^(page|pagenumber|pageno|pageindex|pagenum)$/],
  [
    "cursor",
    /^(cursor|after|startingafter|startafter|pageinfo|pagetoken|nexttoken|continue|continuationtoken|marker|lastid)$/,
  ],
  ["withTotal", /^(withtotal|includetotal|withcount|includecount)$/],
  ["direction", /^(direction|dir|sortdirection|sortorder|sortdir|orderdirection)$/],
  ["sort", /^(sort|sortby|orderby|order|ordering|sortfield)$/],
  ["where", /^where$/],
] as const;

/** Members that have the version of an item, also if clients can set them. */
export const versions = /^((resource|lock|row|entity)version|optlock|(odata)?etag)$/;

/** A path that ends with such a word finds items of the collection before it. */
export const finding = /^(_?search|query|_?find|find-?by.*|findBy.*|lookup|filter|by-.*)$/i;

const verbs = new RegExp(
  "^_?(cancel|activate|deactivate|enable|disable|approve|reject|confirm|complete|close|open|reopen|lock|unlock|start|stop|" +
    "restart|reboot|pause|resume|retry|rerun|rotate|reset|resend|send|publish|unpublish|archive|unarchive|restore|revoke|" +
    "refresh|verify|validate|validation|login|logout|signin|signup|merge|transfer|convert|copy|clone|duplicate|move|" +
    "import|export|upload|download|submit|process|run|execute|trigger|sync|ping|test|attempts?|check|apply|rename|" +
    "replicate|fork|ship|pay|refund|capture|void|assign|unassign|invite|accept|decline|subscribe|unsubscribe|mark|" +
    "dismiss|suspend|register|unregister|token|binding|eviction|generate|render|evaluate|simulate|preview|calculate|" +
    "recalculate|bulk|batch|purge|flush|clear|freeze|claim|release|promote|attach|detach|follow|join|leave|remove|" +
    "rerequest|redeliver|resolve|unresolve|follow|unfollow|block|unblock|deploy|install|uninstall|resize|rebuild|" +
    "add|create|delete|update|set|exec|proxy|portforward|rollback|watch|password|sign|compare|revert|save)(-|_|$|[A-Z])",
);

/** Returns whether a segment is a verb, such as `cancel` or `mark-as-read`. Nouns can begin like one: `check-runs`. */
export function isVerb(segment: string): boolean {
  return verbs.test(segment) && !/[-_][a-z]*[^s]s$/.test(segment);
}
