import { ClientError } from "../http/client-error.ts";
import type { OperationSpec } from "./operation.ts";
import { sendable } from "./sendable.ts";
import { cookiePairs } from "./serialise-parameter.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * Returns the field `Cookie` of a call: the cookies of `field`, credentials and parameters; `null` without credentials and parameters. Parameters are
 * percent-encoded. A credential is sent unchanged, because the service compares it with the value that it has issued. A parameter replaces other cookies
 * of its name, and a cookie of `field` replaces a credential.
 *
 * @param field the value of `Cookie` that the caller has set
 * @throws ClientError CLIENT_BAD_PARAMETER
 */
export const cookieField = (
  spec: OperationSpec,
  credentials: Readonly<Record<string, string>>,
  cookies: Values,
  field: string | null,
): string | null => {
  const parameterPairs = Object.entries(cookies).flatMap(([name, value]) =>
    sendable(spec, `the cookie ${JSON.stringify(name)}`, () =>
      cookiePairs(name, value, spec.styles?.[`cookie ${name}`]),
    ),
  );
  const parameterNames = new Set(parameterPairs.map(([name]) => name));
  const given = (field ?? "")
    .split(";")
    .map((text) => text.trim())
    .filter((text) => text !== "" && !parameterNames.has(nameOf(text)));
  const replaced = new Set([...parameterNames, ...given.map(nameOf)]);
  const credentialPairs = Object.entries(credentials).filter(([name]) => !replaced.has(name));
  const pairs = [...credentialPairs, ...parameterPairs].map(([name, value]) => {
    if (NAME.test(name) && VALUE.test(value)) return `${name}=${value}`;
    throw new ClientError(
      "CLIENT_BAD_PARAMETER",
      `${spec.route} cannot send the cookie ${JSON.stringify(name)}`,
    );
  });
  return pairs.length === 0 ? null : [...given, ...pairs].join("; ");
};

/** Returns the name of a cookie in the field `Cookie`. */
const nameOf = (cookie: string): string => cookie.split("=", 1)[0] ?? "";

/** Matches a token (RFC 9110 5.6.2). */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Matches printable ASCII except semicolons. Spaces, quotes and commas are allowed: browsers send them, although RFC 6265 advises against them. */
const VALUE = /^[\x20-\x3a\x3c-\x7e]*$/;
