import type { Awaitable } from "@framework/core";
import { ClientError } from "../http/client-error.ts";
import type { ApiSpec, OperationSpec } from "./operation.ts";

/** Credentials by the name of their security scheme. */
export type Credentials = Readonly<Record<string, string | (() => Awaitable<string>) | undefined>>;

interface Placed {
  readonly header: Record<string, string>;
  readonly query: Record<string, string>;
  readonly cookie: Record<string, string>;
}

/**
 * Returns the credentials of a call by place. Uses the first alternative of the operation whose schemes all have credentials; without one, returns no
 * credentials.
 *
 * @throws ClientError CLIENT_BAD_PARAMETER for a credential that is not a string
 */
export const credentialsOf = async (
  { security }: ApiSpec,
  { route, security: alternatives = [] }: OperationSpec,
  credentials: Credentials,
): Promise<Placed> => {
  const placed: Placed = { header: {}, query: {}, cookie: {} };
  const given = (name: string): boolean =>
    Object.hasOwn(security, name) && Object.hasOwn(credentials, name) && credentials[name] !== undefined;
  for (const name of alternatives.find((names) => names.every(given)) ?? []) {
    const credential = credentials[name];
    const place = security[name];
    if (place === undefined || credential === undefined) continue;
    const [where, field, prefix] = place;
    const text: unknown = typeof credential === "function" ? await credential() : credential;
    if (typeof text !== "string")
      throw new ClientError(
        "CLIENT_BAD_PARAMETER",
        `${route} cannot send the credential of ${JSON.stringify(name)}, which is not a string`,
      );
    placed[where][field] =
      prefix === "Basic " ? prefix + Buffer.from(text).toString("base64") : prefix + text;
  }
  return placed;
};
