import { ValueError } from "../errors/http-errors.ts";
import { NameValueList } from "../http/name-value-list.ts";
import { parseUrlencoded } from "../http/urlencoded.ts";

const MAX_PAIRS = 1000;

/**
 * Query parameters of a request, with the meaning of `URLSearchParams`; parsed when first read, from the text behind the `?`.
 *
 * `get` gives the first value, `getAll` all of them.
 *
 * @throws ValueError 400 from every reader when the query holds more than 1,000 parameters
 */
export class Query extends NameValueList {
  private readonly search: string;
  private parsed: readonly string[] | undefined;

  constructor(search: string) {
    super();
    this.search = search;
  }

  protected override pairs(): readonly string[] {
    return (this.parsed ??= parseUrlencoded(this.search, MAX_PAIRS, tooMany));
  }

  /** The query as received, without the `?`. */
  override toString(): string {
    return this.search;
  }
}

const tooMany = (): Error => new ValueError(`The query holds more than ${MAX_PAIRS} parameters`);
