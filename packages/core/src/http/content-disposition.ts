/**
 * Returns the `Content-Disposition` of a download (RFC 6266): an ASCII name for old clients and, if it differs, the exact name as `filename*`.
 *
 * Path separators and control characters in the name become `_`.
 */
export const attachment = (filename: string): string => {
  // oxlint-disable-next-line no-control-regex -- no file name may contain these
  const name = filename.toWellFormed().replaceAll(/[\u0000-\u001F\u007F-\u009F/\\]/g, "_");
  const ascii = name.replaceAll(/[^\x20-\x7e]/gu, "_").replaceAll(/["%]/g, "_");
  const exact = ascii === name ? "" : `; filename*=UTF-8''${extValue(name)}`;
  return `attachment; filename="${ascii}"${exact}`;
};

/** Escapes the name of a field or a file of a multipart form as HTML forms do (multipart/form-data encoding algorithm of HTML). */
export const escapedFormName = (name: string): string =>
  name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

/** Also encodes the characters that `encodeURIComponent` keeps but `attr-char` (RFC 8187 3.2.1) excludes. */
const extValue = (name: string): string =>
  encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
