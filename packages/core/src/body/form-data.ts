import { NameValueList } from "../http/name-value-list.ts";
import type { UploadedFile } from "./uploaded-file.ts";

/**
 * Text fields of a form, urlencoded or multipart, in the order received; names may repeat.
 *
 * `get` returns the first value, `getAll` all values.
 */
export class Form extends NameValueList {
  private readonly fields: readonly string[];

  /** `fields` is flat: name, value, name, value … */
  constructor(fields: readonly string[]) {
    super();
    this.fields = fields;
  }

  protected override pairs(): readonly string[] {
    return this.fields;
  }
}

/** Text fields and files of a form. */
export interface ParsedForm {
  /** The text fields, in the order received. */
  readonly form: Form;
  /** The uploaded files, in the order received. */
  readonly files: readonly UploadedFile[];
}

/** Values of a form by name: a string, a file, or an array of them for a repeated name. Without a prototype, so a client's `__proto__` is an ordinary name. */
export type FormValue = Record<string, string | File | (string | File)[]>;

/** Converts a form for schemas: the strings and files of each name, as an array for a repeated name, strings first. */
export const toFormValue = ({ form, files }: ParsedForm): FormValue => {
  const value: FormValue = form.toObject();
  for (const file of files) {
    const known = value[file.name];
    if (known === undefined) value[file.name] = file.toFile();
    else if (Array.isArray(known)) known.push(file.toFile());
    else value[file.name] = [known, file.toFile()];
  }
  return value;
};
