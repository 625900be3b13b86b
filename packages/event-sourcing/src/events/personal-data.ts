import type { Json } from "./json.ts";

/** Fields of an event that are encrypted with the key of the person they are about. */
export interface PersonalData<Data> {
  /** Returns the id of the person, such as a customer number. It stays readable, so it must not be personal data itself. */
  readonly subject: (data: Data) => string;
  /** Members of the data to encrypt. */
  readonly fields: readonly (keyof Data & string)[];
  /** Values that readers, and upcasters of earlier versions, get once the person is forgotten, by field. @default null */
  readonly placeholders?: { readonly [Field in keyof Data & string]?: Json };
}
