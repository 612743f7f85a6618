/**
 * Verifies a pact file against a provider: `verify.ts FILE PROVIDER STATES`. STATES is the address of the mock that sets up
 * the provider states. Exits with 1 if the verification fails. Runs in a separate process, as the verifier is a native
 * library that writes to standard output.
 */
const [file = "", provider = "", states = provider] = process.argv.slice(2);
// Disables the telemetry of the verifier, which reads this variable when it is loaded.
process.env.PACT_DO_NOT_TRACK = "true";
const { Verifier } = (await import("@pact-foundation/pact")).default;

await new Verifier({
  provider: "generic-resource-service",
  providerBaseUrl: provider,
  pactUrls: [file],
  providerStatesSetupUrl: `${states}/__admin/provider-states`,
  providerStatesSetupTeardown: true,
  providerStatesSetupBody: true,
  logLevel: "error",
}).verifyProvider();
