import type { ConfigInput } from "../config/config-record.ts";
import { UnsupportedMediaTypeError, ValueError } from "../errors/http-errors.ts";
import { isMultipartType, type MediaType } from "../http/media-type.ts";
import type { ParsedForm } from "./form-data.ts";
import { MultipartLimits } from "./multipart-limits.ts";
import { MultipartParser } from "./multipart-parser.ts";

const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=? ]{1,70}$/;

/**
 * Parses a complete `multipart/form-data` body; files share its memory.
 *
 * @throws UnsupportedMediaTypeError 415 for another type, and for a text field whose charset is not UTF-8; ValueError 400 for a malformed body or boundary; 413
 * above a limit, which the message names
 */
export const parseMultipart = (
  body: Uint8Array,
  type: MediaType | null,
  limits: ConfigInput<MultipartLimits> = {},
): ParsedForm => {
  const parser = multipartParser(type, limits);
  parser.push(body);
  return parser.end();
};

/** Like `parseMultipart`, but parses the body while it arrives, and stops reading at the first error. */
export const readMultipart = async (
  chunks: AsyncIterable<Uint8Array>,
  type: MediaType | null,
  limits: ConfigInput<MultipartLimits> = {},
): Promise<ParsedForm> => {
  const parser = multipartParser(type, limits);
  for await (const chunk of chunks) parser.push(chunk);
  return parser.end();
};

/** Creates the parser of a form's parts. @throws UnsupportedMediaTypeError 415 for another type; ValueError 400 for a malformed boundary */
export const multipartParser = (
  type: MediaType | null,
  limits: ConfigInput<MultipartLimits> = {},
): MultipartParser => {
  if (!isMultipartType(type)) throw new UnsupportedMediaTypeError("The body must be multipart/form-data");
  const boundary = type?.boundary ?? "";
  if (!BOUNDARY.test(boundary) || boundary.endsWith(" ")) {
    throw new ValueError("The boundary of the multipart body is missing or malformed");
  }
  return new MultipartParser(boundary, MultipartLimits.of(limits));
};
