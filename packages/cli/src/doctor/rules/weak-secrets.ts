import type { DoctorRule } from "./facts.ts";

/** Variables for secrets with a value that everybody tries first. */
export const weakSecrets: DoctorRule = ({ files, workloads, others }) =>
  [...files.map(({ path, variables }) => ({ place: path, variables })), ...workloads, ...others].flatMap(
    ({ place, variables }) =>
      [...variables]
        .filter(([name, value]) => FOR_SECRETS.test(name) && isGuessable(value))
        .map(([name]) => ({
          code: "CLI_WEAK_SECRET",
          message: `${name} in ${place} is a placeholder that is guessed at once; generate one: openssl rand -base64 32`,
        })),
  );

const FOR_SECRETS = /(?:SECRET|PASSWORD|PASSPHRASE|TOKEN|PRIVATE_KEY|API_KEY|SIGNING_KEY)$/i;

const PLACEHOLDER =
  /^(?:(?:my|your|the|a)?[-_ ]?(?:super)?[-_ ]?(?:secret|password|token|key)(?:[-_ ]?key)?|admin|root|test|dev|default|pass|letmein|qwerty|foo|bar|x+|1234\d*|todo|password\d*|postgres|<.+>)$/i;

/** Words of placeholders, alone or in a longer text. Each is too long to be part of a random text in base64. */
const WORDS = /change[-_ ]?(?:me|this|it)(?![a-z])|placeholder|(?:^|[^a-z])(?:replace|example)/i;

/** A short word, which a random text has in mixed letters or between others now and then. */
const YOUR = /(?:^|[-_ <])(?:your|Your|YOUR)[-_ ]/;

/** A variable of the shell or of Compose: its value is elsewhere. */
const VARIABLE = /^\$\{?\w+\}?$/;

const isGuessable = (value: string): boolean =>
  value !== "" &&
  !VARIABLE.test(value) &&
  (PLACEHOLDER.test(value) ||
    WORDS.test(value) ||
    YOUR.test(value) ||
    isRepeated(value) ||
    hasFewCharacters(value));

/** Whether a text is one character, or another text over and over, at least twice. */
const isRepeated = (value: string): boolean => {
  const text = value.slice(0, MAX_EXAMINED);
  if (/^(.)\1*$/.test(text)) return true;
  for (let period = 2; period <= text.length / 2; period++)
    if (text.startsWith(text.slice(period))) return true;
  return false;
};

/** Longer texts are examined up to here. */
const MAX_EXAMINED = 1000;

/** Whether a text has so few different characters as a random one, of hexadecimal digits too, never has. */
const hasFewCharacters = (value: string): boolean => {
  const { length } = value;
  return length >= 16 && new Set(value).size <= (length >= 32 ? 5 : 3);
};
