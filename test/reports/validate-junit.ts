import { readFileSync } from "node:fs";
import { validateXML } from "xmllint-wasm";

const schema = readFileSync(new URL("jenkins-junit.xsd", import.meta.url), "utf8");

/** Returns the violations of the JUnit schema of Jenkins. Throws if the text is not XML at all. */
export async function junitProblems(xml: string): Promise<string[]> {
  const { errors } = await validateXML({ xml: [{ fileName: "report.xml", contents: xml }], schema: [schema] });
  return errors.map(({ message }) => message);
}
