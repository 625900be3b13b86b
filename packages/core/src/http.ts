// The grammar of HTTP (RFC 9110): parsers and formatters of header fields, without dependencies on the rest.
export { type ByteRange, byteRanges, type RequestedRanges } from "./http/byte-ranges.ts";
export { reasonPhrase } from "./http/reason-phrase.ts";
export { mediaTypeOf } from "./http/media-type-of.ts";
export { accepts, namesType, preferredType } from "./http/accept.ts";
export { negotiateEncoding } from "./http/accept-encoding.ts";
export { escapedFormName } from "./http/content-disposition.ts";
export { isJsonType, type MediaType, plainType } from "./http/media-type.ts";
export {
  codedTag,
  type EntityTag,
  isEntityTag,
  matchesStrongly,
  matchesWeakly,
  parseTagList,
  plainTag,
  type TagList,
  toWeakTag,
} from "./http/entity-tags.ts";
export {
  type Directives,
  parseCacheControl,
  privateField,
  secondsOf,
  wholeSeconds,
} from "./http/cache-control.ts";
export { type FileState, fileValidators, validatorFields } from "./http/file-validators.ts";
export { formatHttpDate, parseHttpDate } from "./http/http-date.ts";
export {
  type ConditionalRequest,
  ifRangeHolds,
  type Precondition,
  precondition,
  type Validators,
} from "./http/preconditions.ts";
export { parseCookies } from "./http/cookies.ts";
