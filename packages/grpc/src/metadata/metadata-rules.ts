/** Returns the mistake in a name and value; `null` for valid ones. */
export const metadataProblem = (name: string, value: string | Uint8Array): string | null => {
  if (!/^[0-9a-z_.-]+$/.test(name) || name.startsWith("grpc-"))
    return `the name of metadata is letters, digits and _ . -, without the prefix grpc-, not ${JSON.stringify(name.slice(0, 100))}`;
  if (name.endsWith("-bin")) return typeof value === "string" ? `the value of ${name} must be bytes` : null;
  if (typeof value !== "string") return `the value of ${name} must be text; names of bytes end in -bin`;
  return isMetadataText(value)
    ? null
    : `the value of ${name} must be printable ASCII; send bytes under ${name}-bin`;
};

/** Whether text can be a value: printable ASCII. Each call has half a dozen short values; a regular expression takes several times as long for them. */
export const isMetadataText = (value: string): boolean => {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
};

/** Whether text can be the values of a name that ends in `-bin`: Base64, joined by commas. */
export const isMetadataBase64 = (value: string): boolean => /^[A-Za-z0-9+/=, ]*$/.test(value);

/** Bytes of a value as HTTP/2 counts them (RFC 9113 6.5.2); bytes travel as Base64. */
export const metadataBytes = (name: string, value: string | Uint8Array): number =>
  name.length + 32 + (typeof value === "string" ? value.length : Math.ceil(value.length / 3) * 4);
