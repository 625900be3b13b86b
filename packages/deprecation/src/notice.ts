import type { HttpRequest, Response } from "@framework/core";
import type { FieldUse } from "@framework/core/feature";
import { parseDate } from "./date.ts";
import { deprecatedAt, type DeprecationRouteOptions } from "./route-options.ts";

/** Header fields of a deprecated route. */
export interface Notice {
  /** `Deprecation`, a structured date (RFC 9745 2.1). */
  readonly deprecation: string | null;
  /** `Sunset`, an HTTP date (RFC 8594 3). */
  readonly sunset: string | null;
  /** Path or URL of the successor; may have parameters. */
  readonly successor: string | null;
}

/** Returns the notice of a route with these options; `null` for a route that is neither deprecated nor has a sunset. */
export const noticeOf = (
  options: DeprecationRouteOptions | undefined,
  since: string | undefined,
): Notice | null => {
  if (options === undefined || options.deprecated === false) return null;
  const deprecated = deprecatedAt(options, since);
  const sunset = parseDate(options.sunset);
  if (deprecated === null && sunset === null) return null;
  return {
    deprecation: deprecated === null ? null : `@${Math.floor(deprecated / 1000)}`,
    sunset: sunset === null ? null : new Date(sunset).toUTCString(),
    successor: options.successor || null,
  };
};

/** Sets the fields on a reply, unless the handler has set them, and appends the links. */
export const announce = (
  reply: Response,
  { deprecation, sunset, successor }: Notice,
  { params }: Pick<HttpRequest, "params">,
  policy: string | undefined,
): Response => {
  if (deprecation !== null && !reply.headers.has("deprecation")) reply.setHeader("deprecation", deprecation);
  if (sunset !== null && !reply.headers.has("sunset")) reply.setHeader("sunset", sunset);
  if (successor !== null)
    reply.appendHeader("link", `<${fillParameters(successor, params)}>; rel="successor-version"`);
  if (policy !== undefined) reply.appendHeader("link", `<${policy}>; rel="deprecation"`);
  return reply;
};

/**
 * Replaces the parameters by their values, encoded so that a client cannot end the link; keeps the slashes of a wildcard. A path that begins with `//` gets
 * the prefix `/.`, without which its first segment would be a host (RFC 3986 4.2).
 */
const fillParameters = (successor: string, params: Readonly<Record<string, string>>): string => {
  const filled = successor.replaceAll(/\{(\*?)([^{}]*)\}/g, (_all, wildcard: string, name: string) => {
    const value = params[name] ?? "";
    return wildcard === "" ? encode(value) : value.split("/").map(encode).join("/");
  });
  return filled.startsWith("//") ? `/.${filled}` : filled;
};

const encode = (value: string): string => encodeURIComponent(value.toWellFormed());

/** Returns the fields of a notice, for the API document and for CORS. */
export const fieldsOf = (
  { deprecation, sunset, successor }: Notice,
  policy: string | undefined,
): readonly FieldUse[] => {
  const field = (name: string, description: string): FieldUse => ({
    name,
    in: "reply",
    type: "string",
    description,
  });
  const date = (text: string): string =>
    (text.startsWith("@") ? new Date(Number(text.slice(1)) * 1000) : new Date(text)).toISOString();
  return [
    ...(deprecation === null ? [] : [field("Deprecation", `Deprecated from ${date(deprecation)}.`)]),
    ...(sunset === null ? [] : [field("Sunset", `May stop working on ${date(sunset)}.`)]),
    ...(successor === null && policy === undefined
      ? []
      : [field("Link", successor === null ? "Page about the deprecation." : `Use ${successor} instead.`)]),
  ];
};
