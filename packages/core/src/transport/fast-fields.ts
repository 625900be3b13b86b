import { SINGLETON_FIELDS } from "../request/request-headers.ts";

const SPACE = 0x20;
const TAB = 0x09;

/**
 * The fields of a head that was checked, found by places in its text: names and values become strings when somebody asks for them.
 *
 * Reads like `fieldValue` over the flat list.
 */
export class FastFields {
  private readonly text: string;
  /** For each field: start of the name, colon, start of the value, end of the value. */
  private readonly places: number[];

  /** @param start where the first field begins in `text` @param end the empty line behind the last */
  constructor(text: string, start: number, end: number) {
    this.text = text;
    this.places = placesOf(text, start, end);
  }

  /** Value of a field by its lower-case name. */
  get(lowerName: string): string | null {
    const { text, places } = this;
    const { length } = lowerName;
    let found: string | null = null;
    for (let at = 0; at < places.length; at += 4) {
      const start = places[at] as number;
      if ((places[at + 1] as number) - start !== length || !isNamed(text, start, lowerName)) continue;
      const value = text.slice(places[at + 2], places[at + 3]);
      if (found === null) found = value;
      else if (SINGLETON_FIELDS.has(lowerName)) return found;
      else found += (lowerName === "cookie" ? "; " : ", ") + value;
    }
    return found;
  }

  /** As received: name, value, name, value … */
  toList(): string[] {
    const { text, places } = this;
    const list: string[] = [];
    for (let at = 0; at < places.length; at += 4) {
      list.push(text.slice(places[at], places[at + 1]), text.slice(places[at + 2], places[at + 3]));
    }
    return list;
  }
}

const placesOf = (text: string, start: number, end: number): number[] => {
  const places: number[] = [];
  for (let at = start; at < end; ) {
    const colon = text.indexOf(":", at);
    const lineEnd = text.indexOf("\r", colon);
    let valueStart = colon + 1;
    let valueEnd = lineEnd;
    while (valueStart < valueEnd && isBlank(text.charCodeAt(valueStart))) valueStart++;
    while (valueEnd > valueStart && isBlank(text.charCodeAt(valueEnd - 1))) valueEnd--;
    places.push(at, colon, valueStart, valueEnd);
    at = lineEnd + 2;
  }
  return places;
};

const isBlank = (unit: number): boolean => unit === SPACE || unit === TAB;

/** Names are tokens: only letters differ between a unit and its lower case, and `| 0x20` changes no other unit into a letter. */
const isNamed = (text: string, start: number, lowerName: string): boolean => {
  for (let index = 0; index < lowerName.length; index++) {
    const unit = text.charCodeAt(start + index);
    const wanted = lowerName.charCodeAt(index);
    if (unit === wanted) continue;
    if (unit < 0x41 || unit > 0x5a || unit + 0x20 !== wanted) return false;
  }
  return true;
};
