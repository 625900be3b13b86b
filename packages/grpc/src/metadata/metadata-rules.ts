/** Connection-specific fields, which HTTP/2 forbids (RFC 9113 8.2.2). */
const connectionFields: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
]);

/** Fields that gRPC and HTTP/2 set themselves: another value would break the call or its connection. */
const protocolFields: ReadonlySet<string> = new Set(["content-length", "content-type"]);

/** HTTP fields that can have only one value: Node rejects a second value. */
const singleValueFields: ReadonlySet<string> = new Set(
  (
    "access-control-allow-credentials access-control-max-age access-control-request-method age authorization content-encoding content-language " +
    "content-length content-location content-md5 content-range content-type date dnt etag expires from host if-match if-modified-since if-none-match " +
    "if-range if-unmodified-since last-modified location max-forwards proxy-authorization range referer retry-after tk upgrade-insecure-requests " +
    "user-agent x-content-type-options"
  ).split(" "),
);

/** Whether a name cannot have a second value. */
export const hasOneValue = (name: string): boolean => singleValueFields.has(name);

/** Returns the mistake in a name and value; `null` for valid ones. */
export const metadataProblem = (name: string, value: string | Uint8Array): string | null => {
  if (!/^[0-9a-z_.-]+$/.test(name) || name.startsWith("grpc-"))
    return `a metadata name must consist of letters, digits, _, . and -, without the prefix grpc-, not ${JSON.stringify(name.slice(0, 100))}`;
  if (connectionFields.has(name)) return `HTTP/2 forbids the name ${name}`;
  if (protocolFields.has(name)) return `gRPC sets ${name} itself`;
  if (name.endsWith("-bin")) return value instanceof Uint8Array ? null : `the value of ${name} must be bytes`;
  if (typeof value !== "string")
    return `the value of ${name} must be a string; only names that end in -bin have bytes`;
  return isMetadataText(value)
    ? null
    : `the value of ${name} must be printable ASCII; send bytes under ${name}-bin`;
};

/** Whether text can be a value: printable ASCII. A loop, because a regular expression takes several times as long for the half dozen short values of a call. */
export const isMetadataText = (value: string): boolean => {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
};

/** Whether text can be one or more values of a name that ends in `-bin`: Base64, joined by commas. */
export const isMetadataBase64 = (value: string): boolean => /^[A-Za-z0-9+/=, ]*$/.test(value);

/** Bytes of a name with its value as HTTP/2 counts them (RFC 9113 6.5.2); bytes are sent as Base64. */
export const metadataBytes = (name: string, value: string | Uint8Array): number =>
  name.length + 32 + (typeof value === "string" ? value.length : Math.ceil(value.length / 3) * 4);
