import type { Awaitable } from "@framework/core";
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
 */
export const credentialsOf = async (
  { security }: ApiSpec,
  { security: alternatives = [] }: OperationSpec,
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
    const text = typeof credential === "string" ? credential : await credential();
    placed[where][field] =
      prefix === "Basic " ? prefix + Buffer.from(text).toString("base64") : prefix + text;
  }
  return placed;
};
