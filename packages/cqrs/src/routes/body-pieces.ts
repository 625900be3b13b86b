import { parseContentType } from "@framework/core/feature";

/** A form with more pieces is kept as one piece, with its boundary, because each piece costs memory. */
const MAX_PIECES = 1000;

/** Splits a form at its boundary, because a client generates a new boundary for each attempt. Any other body is one piece. */
export const bodyPieces = (contentType: string | null, body: Uint8Array): readonly Uint8Array[] => {
  const type = parseContentType(contentType);
  if (type?.type !== "multipart/form-data" || type.boundary === null || type.boundary === "") return [body];
  const delimiter = Buffer.from(`--${type.boundary}`);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, from)) {
    if (pieces.length === MAX_PIECES) return [body];
    pieces.push(bytes.subarray(from, at));
    from = at + delimiter.length;
  }
  return [...pieces, bytes.subarray(from)];
};
