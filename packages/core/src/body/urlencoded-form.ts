import { HttpError } from "../errors/http-error.ts";
import { requireUtf8 } from "./content-type.ts";
import type { MediaType } from "../http/media-type.ts";
import { Form } from "./form-data.ts";
import { parseUrlencoded } from "../http/urlencoded.ts";
import { decodeUtf8 } from "./utf8.ts";

const MAX_FIELDS = 1000;

/**
 * Parses an `application/x-www-form-urlencoded` body as `URLSearchParams` does.
 *
 * @throws UnsupportedMediaTypeError 415 for a charset other than UTF-8
 * @throws ValueError 400 for raw bytes that are not UTF-8; escaped bytes that are not become U+FFFD
 * @throws HttpError 413 for more than 1,000 fields
 */
export const parseUrlencodedForm = (bytes: Uint8Array, type: MediaType | null = null): Form => {
  requireUtf8(type);
  return new Form(parseUrlencoded(decodeUtf8(bytes, "The form"), MAX_FIELDS, tooMany));
};

const tooMany = (): Error => new HttpError(413, `The form holds more than ${MAX_FIELDS} fields`);
