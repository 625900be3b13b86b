export { etag, EtagConfig, type Etags } from "./etag.ts";
export { entityTag } from "./entity-tag.ts";
export { requireMatch } from "./require-match.ts";
