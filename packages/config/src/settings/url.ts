import { type Setting, setting, type SettingOptions, type SettingRules } from "./setting.ts";
import { shownUrl } from "./shown-urls.ts";

/** Options of `url`. */
export interface UrlOptions extends SettingOptions<string> {
  /** Accepted schemes, such as `["postgres", "sqlite"]`, case-insensitive. @default every scheme */
  readonly schemes?: readonly string[];
}

/**
 * An address with a scheme and `://`, as a string, since drivers accept more than web URLs (`sqlite://:memory:`, several hosts).
 *
 * Messages and summaries show it without user name, password and query.
 */
export const url = (name: string, options: UrlOptions = {}): Setting<string> => {
  const { schemes } = options;
  const expected =
    schemes === undefined ? "a URL" : `a URL with ${schemes.map((each) => `${each}://`).join(" or ")}`;
  const rules: SettingRules<string> = {
    ...options,
    expected,
    show: showUrl,
    parse(text) {
      const scheme = /^([a-z][a-z0-9+.-]*):\/\/[^\s\p{Cc}]+$/iu.exec(text)?.[1]?.toLowerCase();
      const isAccepted =
        scheme !== undefined &&
        (schemes === undefined || schemes.some((each) => each.toLowerCase() === scheme));
      const isWeb = scheme === "http" || scheme === "https";
      return isAccepted && (!isWeb || URL.canParse(text))
        ? { value: text }
        : { problem: `must be ${expected}` };
    },
  };
  return setting(name, rules, ["schemes"]);
};

const showUrl = (text: string): string =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? JSON.stringify(shownUrl(text)) : "[not a URL, hidden]";
