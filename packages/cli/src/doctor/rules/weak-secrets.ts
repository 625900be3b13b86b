import type { DoctorRule } from "./facts.ts";

/** Reports variables for secrets whose value is a placeholder or easy to guess. */
export const weakSecrets: DoctorRule = ({ files, workloads, others }) =>
  [...files.map(({ path, variables }) => ({ place: path, variables })), ...workloads, ...others].flatMap(
    ({ place, variables }) =>
      [...variables]
        .filter(([name, value]) => FOR_SECRETS.test(name) && isGuessable(value))
        .map(([name]) => ({
          code: "CLI_WEAK_SECRET",
          message: `${name} in ${place} is a placeholder that is easy to guess; generate a secret: openssl rand -base64 32`,
        })),
  );

const FOR_SECRETS = /(?:SECRET|PASSWORD|PASSPHRASE|TOKEN|PRIVATE_KEY|API_KEY|SIGNING_KEY)$/i;

const PLACEHOLDER =
  /^(?:(?:my|your|the|a)?[-_ ]?(?:super)?[-_ ]?(?:secret|password|token|key)(?:[-_ ]?key)?|admin|root|test|dev|default|pass|letmein|qwerty|foo|bar|x+|1234\d*|todo|password\d*|postgres|<.+>)$/i;

/** Placeholder words, alone or in longer text. Each is too long to occur in random base64. */
const WORDS = /change[-_ ]?(?:me|this|it)(?![a-z])|placeholder|(?:^|[^a-z])(?:replace|example)/i;

/** A short word that could occur in random text: matched only with consistent case and a separator. */
const YOUR = /(?:^|[-_ <])(?:your|Your|YOUR)[-_ ]/;

/** A reference to a variable of the shell or of Compose. */
const VARIABLE = /^\$\{?\w+\}?$/;

const isGuessable = (value: string): boolean =>
  value !== "" &&
  !VARIABLE.test(value) &&
  (PLACEHOLDER.test(value) ||
    WORDS.test(value) ||
    YOUR.test(value) ||
    isRepeated(value) ||
    hasFewCharacters(value));

/** Whether a text consists of repetitions of one character or of a shorter text. */
const isRepeated = (value: string): boolean => {
  const text = value.slice(0, MAX_EXAMINED);
  if (/^(.)\1*$/.test(text)) return true;
  for (let period = 2; period <= text.length / 2; period++)
    if (text.startsWith(text.slice(period))) return true;
  return false;
};

/** Maximum number of characters examined. */
const MAX_EXAMINED = 1000;

/** Whether a text has fewer distinct characters than random text, even of hexadecimal digits. */
const hasFewCharacters = (value: string): boolean => {
  const { length } = value;
  return length >= 16 && new Set(value).size <= (length >= 32 ? 5 : 3);
};
