/** Scenarios for any document, as files of a folder. The package has others of these names for the built-in service. */
export const ownScenarios = {
  "concurrent-writer.json": JSON.stringify({
    description:
      "Another client writes the item just before the first change. A change that sends a version or If-Match fails; a retry that sends the new version succeeds. With times: 3, the first three changes fail.",
    rules: [{ times: 1, conflict: true }],
  }),
  "conflict.json": JSON.stringify({
    description:
      "Another client writes the item just before each change, so every change that sends a version or If-Match fails.",
    rules: [{ conflict: true }],
  }),
  "token-expired.json": JSON.stringify({
    description:
      "The first request returns 401, as if its token had expired. Later requests succeed. With times: 3, the first three requests fail.",
    rules: [{ times: 1, respond: { status: 401 } }],
  }),
  "unauthorized.json": JSON.stringify({
    description: "Every request returns 401, even with valid credentials.",
    rules: [{ respond: { status: 401 } }],
  }),
};
