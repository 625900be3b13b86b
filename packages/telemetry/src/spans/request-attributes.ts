import type { Attributes } from "@opentelemetry/api";
import type { HttpRequest } from "@framework/core";
import { methodAttribute, methodInSpanName } from "@framework/core/feature";
import { redactPath, redactQuery, redactText } from "../redaction/redact.ts";

/** Returns a request's span name: method and route pattern, never its path. */
export const requestSpanName = ({ method, route }: HttpRequest): string => {
  const name = methodInSpanName(method);
  return route === null ? name : `${name} ${route}`;
};

/** Returns the attributes of a request at its start, by the stable HTTP conventions, redacted. */
export const requestAttributes = (request: HttpRequest): Attributes => ({
  ...clientAttributes(request),
  ...serverAttributes(request),
});

/** Returns the attributes that many requests have in common. */
export const serverAttributes = ({ method, route, scheme, host }: HttpRequest): Attributes => {
  const [address, port] = authority(host);
  const known = methodAttribute(method);
  const attributes: Attributes = { "http.request.method": known, "url.scheme": scheme };
  if (known !== method) attributes["http.request.method_original"] = redactText(method.slice(0, 64));
  if (route !== null) attributes["http.route"] = route;
  if (address !== "") attributes["server.address"] = address;
  if (port !== null) attributes["server.port"] = port;
  return attributes;
};

/** The host in the URL of a request without a host. */
const UNNAMED_HOST = "localhost";

/** Returns the attributes of one request. */
export const clientAttributes = (request: HttpRequest): Attributes => {
  const { scheme, host, url, clientIp, httpVersion } = request;
  const begin = scheme.length + 3 + (host.length || UNNAMED_HOST.length);
  const end = url.indexOf("?", begin);
  const userAgent = request.getHeader("user-agent");
  const attributes: Attributes = {
    "url.path": redactPath(end === -1 ? url.slice(begin) : url.slice(begin, end)),
  };
  if (end !== -1 && end + 1 < url.length) attributes["url.query"] = redactQuery(url.slice(end + 1));
  if (httpVersion === "2") attributes["network.protocol.version"] = httpVersion;
  if (clientIp !== null) attributes["client.address"] = clientIp;
  if (userAgent !== null) attributes["user_agent.original"] = redactText(userAgent);
  return attributes;
};

/** Splits an authority into address and port. */
const authority = (host: string): readonly [address: string, port: number | null] => {
  const at = host.lastIndexOf(":");
  if (at === -1 || host.endsWith("]")) return [addressOf(host), null];
  const digits = host.slice(at + 1);
  if (digits === "") return [addressOf(host.slice(0, at)), null]; // a host may end in a colon without a port
  return /^\d+$/.test(digits) ? [addressOf(host.slice(0, at)), Number(digits)] : [addressOf(host), null];
};

/** Removes the brackets that an IPv6 address has in a URL. */
const addressOf = (host: string): string => (host.startsWith("[") ? host.slice(1, -1) : host);
