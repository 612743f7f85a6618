/** One case of a JUnit report. */
export interface JunitCase {
  readonly name: string;
  /** The group of the case. Readers of JUnit show it as the class or the package. */
  readonly classname: string;
  readonly seconds: number;
  readonly outcome: "passed" | "failed" | "skipped";
  /** Why the case failed or was skipped. */
  readonly message?: string;
  /** Further text of the case, such as the output of a program. */
  readonly output?: string;
}

interface JunitReport {
  readonly name: string;
  readonly suites: readonly { readonly name: string; readonly cases: readonly JunitCase[] }[];
}

/**
 * Returns the report as JUnit XML, which GitHub, GitLab and Jenkins read. It follows the JUnit schema of Jenkins, which
 * allows no attributes of `skipped`. Characters that XML 1.0 forbids are dropped.
 */
export function junitXml({ name, suites }: JunitReport): string {
  const all = suites.flatMap(({ cases }) => cases);
  const lines = suites.flatMap((suite) => [
    `  <testsuite ${attributes({ name: suite.name, ...counts(suite.cases), skipped: count(suite.cases, "skipped") })}>`,
    ...suite.cases.map(caseElement),
    "  </testsuite>",
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name, ...counts(all) })}>`,
    ...lines,
    "</testsuites>",
    "",
  ].join("\n");
}

function counts(cases: readonly JunitCase[]): Record<string, string | number> {
  const seconds = cases.reduce((sum, each) => sum + each.seconds, 0);
  return { tests: cases.length, failures: count(cases, "failed"), errors: 0, time: seconds.toFixed(3) };
}

function count(cases: readonly JunitCase[], outcome: JunitCase["outcome"]): number {
  return cases.filter((each) => each.outcome === outcome).length;
}

function caseElement({ name, classname, seconds, outcome, message = "", output }: JunitCase): string {
  const [firstLine = ""] = message.split("\n", 1);
  const parts = [
    ...(outcome === "skipped" ? [`<skipped>${escaped(message)}</skipped>`] : []),
    ...(outcome === "failed" ? [`<failure ${attributes({ message: firstLine })}>${escaped(message)}</failure>`] : []),
    ...(output ? [`<system-out>${escaped(output)}</system-out>`] : []),
  ];
  const start = `    <testcase ${attributes({ name, classname, time: seconds.toFixed(3) })}`;
  return parts.length === 0 ? `${start}/>` : `${start}>${parts.join("")}</testcase>`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(String(value)).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")}"`)
    .join(" ");
}

/** XML 1.0, section 2.2: all characters that a document may not contain, even as a reference. */
const forbidden = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

// A parser replaces a carriage return as it is with a line feed.
const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
};

function escaped(text: string): string {
  return text.replaceAll(forbidden, "").replaceAll(/[&<>"\r]/g, (character) => references[character] ?? "");
}
