import { fileURLToPath } from "node:url";

/**
 * Verifies the pact beside this file against the mock at the address given: ends with 1 when it does not hold. In a
 * process of its own, as the verifier is a native library that writes to the standard output.
 */
const [address = ""] = process.argv.slice(2);
// It tells its makers of each run unless it is asked not to; it reads this when it is loaded.
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
