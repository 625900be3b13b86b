import { ApiKeyName, type Host, recordIdentitySource } from "@framework/core/feature";
import { type Invocation, UnauthorizedError } from "@framework/core";
import type { SecuritySchemes } from "../auth-description.ts";
import { Authentication } from "../authentication.ts";
import { authProblem, missingCredentials } from "../errors.ts";
import { type ApiKeys, type KeyDigests, keyDigests } from "./key-digests.ts";

/**
 * Authenticates callers by an API key, and sets the key's name in the context under `ApiKeyName`. Two keys may share a name, for rotation.
 *
 * @param keys key, or `sha256:` and its hexadecimal digest, to name; at most 1,000
 * @param header the header field of the key. @default "X-API-Key"
 * @throws at start: AUTH_BAD_API_KEY
 * @example
 * app.use(new ApiKeyAuth([[process.env.BILLING_KEY ?? "", "billing"]], "X-API-Key")); // an empty key is refused at start
 */
export class ApiKeyAuth extends Authentication {
  private readonly header: string;
  private readonly keys: KeyDigests;
  private readonly challenge: string;

  constructor(keys: ApiKeys, header = "X-API-Key") {
    super();
    this.header = typeof header === "string" ? header : ""; // `prepare` reports it
    this.keys = keyDigests(keys);
    this.challenge = `ApiKey header="${this.header}"`;
  }

  override identify(invocation: Invocation): void {
    const { headers, context } = invocation;
    const [key, ...more] = headers.getAll(this.header);
    if (key === undefined || key === "") throw missingCredentials(this.challenge);
    const name = more.length === 0 ? this.keys.nameOf(key) : null;
    if (name === null) throw new UnauthorizedError("Invalid API key", this.challenge);
    context.set(ApiKeyName, name);
    recordIdentitySource(this, invocation);
  }

  override credentialFields(): readonly string[] {
    return [this.header];
  }

  protected override schemes(): SecuritySchemes {
    return { apiKeyAuth: { type: "apiKey", in: "header", name: this.header } };
  }

  protected override prepare(host: Host): void {
    for (const problem of this.keys.problems) host.problem(problem);
    if (/^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(this.header)) return;
    host.problem(
      authProblem(
        "AUTH_BAD_API_KEY",
        "the second argument of ApiKeyAuth must be the name of a field, such as X-API-Key",
      ),
    );
  }
}
