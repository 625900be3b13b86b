import { ClientError } from "../http/client-error.ts";
import type { OperationSpec } from "./operation.ts";
import { sendable } from "./sendable.ts";
import { pathText, queryPairs } from "./serialise-parameter.ts";

type Values = Readonly<Record<string, unknown>>;

/** Returns the path of a call with its query. @throws ClientError CLIENT_BAD_PARAMETER */
export const addressOf = (spec: OperationSpec, params: Values = {}, query: Values = {}): string => {
  const path = spec.route.slice(spec.route.indexOf(" ") + 1);
  const filled = path.replace(/\{([^{}]+)\}/g, (_, name: string) =>
    sendable(spec, `the parameter ${JSON.stringify(name)}`, () => pathValue(spec, name, params)),
  );
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    sendable(spec, `the parameter ${JSON.stringify(name)}`, () =>
      queryPairs(name, value, spec.styles?.[`query ${name}`]),
    ),
  );
  return pairs.length === 0
    ? filled
    : `${filled}?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`;
};

/** Serialises a path parameter. Refuses `.` and `..`: a URL parser removes these segments, even percent-encoded, and the call would reach another path. */
const pathValue = ({ route, styles }: OperationSpec, name: string, params: Values): string => {
  const value = Object.hasOwn(params, name) ? params[name] : undefined;
  const text = value === undefined || value === null ? "" : pathText(name, value, styles?.[`path ${name}`]);
  if (text !== "" && text !== "." && text !== "..") return text;
  throw new ClientError(
    "CLIENT_BAD_PARAMETER",
    `${route} needs the parameter "${name}", which must not be empty, "." or ".."`,
  );
};
