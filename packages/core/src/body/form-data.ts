import { NameValueList } from "../http/name-value-list.ts";
import type { UploadedFile } from "./uploaded-file.ts";

/**
 * Text fields of a form, urlencoded or multipart, in the order they came; a name may come several times.
 *
 * `get` gives the first value, `getAll` all of them.
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

/** The text fields of a form and its files, each in the order they came. */
export interface ParsedForm {
  readonly form: Form;
  readonly files: readonly UploadedFile[];
}
