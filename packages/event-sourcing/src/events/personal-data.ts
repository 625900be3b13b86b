import type { Json } from "./json.ts";

/** Fields of an event that are about a person, and encrypted with that person's key. */
export interface PersonalData<Data> {
  /** Returns the id of the person, such as a number of a customer; not personal itself, because it stays readable. */
  readonly subject: (data: Data) => string;
  /** Names of the fields: members of the data. */
  readonly fields: readonly (keyof Data & string)[];
  /** What readers get after the person was forgotten, by field. @default null */
  readonly placeholders?: { readonly [Field in keyof Data & string]?: Json };
}
