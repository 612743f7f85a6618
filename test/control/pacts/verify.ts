import { fileURLToPath } from "node:url";

/**
 * Verifies the pact in this folder against the mock at the given address. Exits with 1 if the verification fails. Runs
 * in a separate process, as the verifier is a native library that writes to standard output.
 */
const [address = ""] = process.argv.slice(2);
// Disables the telemetry of the verifier, which reads this variable when it is loaded.
process.env.PACT_DO_NOT_TRACK = "true";
const { Verifier } = (await import("@pact-foundation/pact")).default;

await new Verifier({
  provider: "generic-resource-service",
  providerBaseUrl: address,
  pactUrls: [fileURLToPath(new URL("shop-resource-service.json", import.meta.url))],
  providerStatesSetupUrl: `${address}/__admin/provider-states`,
  providerStatesSetupTeardown: true,
  providerStatesSetupBody: true,
  logLevel: "error",
}).verifyProvider();
