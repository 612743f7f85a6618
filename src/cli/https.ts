import type { Identity } from "../http/tls/index.ts";
import { type HttpsOptions, httpsProblem, Misuse, type Options } from "../library/index.ts";

const flagNames: Readonly<Record<keyof HttpsOptions, string>> = {
  port: "--https-port",
  names: "--tls-name",
  dir: "--tls-dir",
  cert: "--tls-cert",
  key: "--tls-key",
  clientCa: "--tls-client-ca",
};

/**
 * Returns the port and the certificate for HTTPS, or undefined without `--https-port`. Throws Misuse for flags that cannot
 * be combined, and FilesError for an invalid file.
 */
export async function httpsOptions({
  host,
  port: httpPort,
  httpsPort: port,
  tlsNames: names,
  tlsDir: dir,
  tlsCert: cert,
  tlsKey: key,
  tlsClientCa: clientCa,
}: Options<"serve">): Promise<(Identity & { readonly port: number }) | undefined> {
  const options: HttpsOptions = { names, dir, cert, key, clientCa };
  if (port === undefined) {
    const [unused] = Object.entries(options).find(([, value]) => value !== undefined) ?? [];
    if (unused === undefined) return undefined;
    throw new Misuse(`${flagNames[unused as keyof HttpsOptions]}: expected together with --https-port, found alone`);
  }
  if (port !== 0 && port === httpPort) {
    throw new Misuse(`${flagNames.port}: expected another port than --port, found ${port} for both`);
  }
  const problem = httpsProblem(options, (name) => flagNames[name]);
  if (problem) throw new Misuse(problem);
  const { loadIdentity } = await import("../http/tls/index.ts");
  return { ...(await loadIdentity(options, host)), port };
}
