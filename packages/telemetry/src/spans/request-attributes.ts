import type { Attributes } from "@opentelemetry/api";
import type { HttpRequest } from "@framework/core";
import { methodOf } from "../redaction/method.ts";
import { MAX_ATTRIBUTE, redactPath, redactQuery, redactText } from "../redaction/redact.ts";

/** Returns a request's span name: method and route pattern, never its path. */
export const requestSpanName = ({ method, route }: HttpRequest): string => {
  const known = methodOf(method);
  const word = known === "_OTHER" ? "HTTP" : known;
  return route === null ? word : `${word} ${route}`;
};

/** Returns the attributes of a request at its start, by the stable HTTP conventions, redacted. */
export const requestAttributes = (request: HttpRequest): Attributes => {
  const { method, route, scheme, host, clientIp, httpVersion } = request;
  const [path, query] = split(request.url);
  const userAgent = request.getHeader("user-agent");
  const [address, port] = authority(host);
  const known = methodOf(method);
  const attributes: Attributes = {
    "http.request.method": known,
    "url.path": redactPath(path),
    "url.scheme": scheme,
  };
  if (known !== method) attributes["http.request.method_original"] = redactText(method.slice(0, 64));
  if (route !== null) attributes["http.route"] = route;
  if (query !== "") attributes["url.query"] = redactQuery(query);
  if (address !== "") attributes["server.address"] = address;
  if (port !== null) attributes["server.port"] = port;
  if (httpVersion === "2") attributes["network.protocol.version"] = httpVersion;
  if (clientIp !== null) attributes["client.address"] = clientIp;
  if (userAgent !== null) attributes["user_agent.original"] = userAgent.slice(0, MAX_ATTRIBUTE);
  return attributes;
};

/** Splits a URL into its path and its query, as sent. */
const split = (url: string): readonly [path: string, query: string] => {
  const begin = url.indexOf("/", url.indexOf("//") + 2);
  const at = url.indexOf("?", begin);
  return at === -1 ? [url.slice(begin), ""] : [url.slice(begin, at), url.slice(at + 1)];
};

/** Splits an authority into address and port. */
const authority = (host: string): readonly [address: string, port: number | null] => {
  const at = host.lastIndexOf(":");
  const port = at === -1 || host.endsWith("]") ? Number.NaN : Number(host.slice(at + 1));
  return Number.isInteger(port) ? [host.slice(0, at), port] : [host, null];
};
