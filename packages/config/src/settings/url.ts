import { type Setting, setting, type SettingOptions, type SettingRules } from "./setting.ts";

/** Options of `url`. */
export interface UrlOptions extends SettingOptions<string> {
  /** Accepted schemes, such as `["postgres", "sqlite"]`. @default every scheme */
  readonly schemes?: readonly string[];
}

/**
 * An address with a scheme and `://`, as text, since drivers accept more than the web's URLs (`sqlite://:memory:`, several hosts).
 *
 * Messages and summaries show it without user name, password and query.
 */
export const url = (name: string, options: UrlOptions = {}): Setting<string> => {
  const { schemes } = options;
  const wanted =
    schemes === undefined ? "a URL" : `a URL with ${schemes.map((each) => `${each}://`).join(" or ")}`;
  const rules: SettingRules<string> = {
    ...options,
    wanted,
    show: withoutCredentials,
    parse(text) {
      const scheme = /^([a-z][a-z0-9+.-]*):\/\/[^\s\p{Cc}]+$/iu.exec(text)?.[1]?.toLowerCase();
      const isAccepted = scheme !== undefined && (schemes === undefined || schemes.includes(scheme));
      const isWeb = scheme === "http" || scheme === "https";
      return isAccepted && (!isWeb || URL.canParse(text))
        ? { value: text }
        : { problem: `must be ${wanted}` };
    },
  };
  return setting(name, rules, ["schemes"]);
};

/**
 * The address without user, password and query. Passwords and queries may contain "?", "#" and "@": if "?" or "#" comes
 * before the last "@", the place of the host is ambiguous and only the scheme is shown.
 */
const withoutCredentials = (text: string): string => {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0];
  if (scheme === undefined) return "[no URL, hidden]";
  const rest = text.slice(scheme.length);
  const at = rest.lastIndexOf("@");
  if (/[?#]/.test(rest.slice(0, at + 1))) return JSON.stringify(`${scheme}…`);
  const place = rest.slice(at + 1).replace(/[?#].*$/s, "?…");
  return JSON.stringify(`${scheme}${at === -1 ? "" : "…@"}${place}`);
};
