import { ValueError } from "../errors/http-errors.ts";
import { NameValueList } from "../http/name-value-list.ts";
import { parseUrlencoded } from "../http/urlencoded.ts";

const MAX_PAIRS = 1000;

/**
 * Query parameters of a request, parsed on first access like `URLSearchParams`.
 *
 * `get` returns the first value, `getAll` all of them.
 *
 * @throws ValueError 400 from every read when the query has more than 1,000 parameters
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

const tooMany = (): Error => new ValueError(`The query has more than ${MAX_PAIRS} parameters`);
