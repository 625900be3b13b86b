import { NameValueList } from "../http/name-value-list.ts";
import type { UploadedFile } from "./uploaded-file.ts";

/**
 * Text fields of a form, urlencoded or multipart, in their order; names may repeat.
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

/** Text fields and files of a form, each in their order. */
export interface ParsedForm {
  readonly form: Form;
  readonly files: readonly UploadedFile[];
}
