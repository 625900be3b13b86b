import { UnsupportedMediaTypeError } from "../errors/http-errors.ts";
import { isFormType, isMultipartType, type MediaType } from "../http/media-type.ts";
import { parseMultipart } from "./multipart.ts";
import type { ParsedForm } from "./form-data.ts";
import { parseUrlencodedForm } from "./urlencoded-form.ts";

/** Parses the body of a form. @throws UnsupportedMediaTypeError 415 for another type; as `parseMultipart` and `parseUrlencodedForm` */
export const parseForm = (type: MediaType | null, bytes: Uint8Array): ParsedForm => {
  if (isMultipartType(type)) return parseMultipart(bytes, type);
  if (isFormType(type)) return { form: parseUrlencodedForm(bytes, type), files: [] };
  throw new UnsupportedMediaTypeError(
    "The body must be application/x-www-form-urlencoded or multipart/form-data",
  );
};
