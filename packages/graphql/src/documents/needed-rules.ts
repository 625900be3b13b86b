import * as library from "graphql";
import { specifiedRules, type ValidationRule } from "graphql";

/** Bit flags for the contents of a document. */
const DIRECTIVES = 1;
const FRAGMENTS = 2;
const VARIABLES = 4;
const ARGUMENTS = 8;
const OPERATIONS = 16;
const SUBSCRIPTIONS = 32;
const INTROSPECTION = 64;
const REPEATS = 128;
const ANYTHING = 256;

const {
  DeferStreamDirectiveLabelRule,
  DeferStreamDirectiveOnRootFieldRule,
  DeferStreamDirectiveOnValidOperationsRule,
  StreamDirectiveOnListFieldRule,
}: Partial<typeof library> = library; // only in graphql 17

/** Contents without which a rule cannot find a mistake; all other rules apply to every document. */
const triggers: ReadonlyMap<ValidationRule | undefined, number> = new Map([
  [library.ExecutableDefinitionsRule, 0], // `checkDocument` refuses all other definitions
  [library.UniqueOperationNamesRule, OPERATIONS],
  [library.LoneAnonymousOperationRule, OPERATIONS],
  [library.SingleFieldSubscriptionsRule, SUBSCRIPTIONS],
  [library.MaxIntrospectionDepthRule, INTROSPECTION],
  [library.KnownTypeNamesRule, FRAGMENTS | VARIABLES],
  [library.FragmentsOnCompositeTypesRule, FRAGMENTS],
  [library.UniqueFragmentNamesRule, FRAGMENTS],
  [library.KnownFragmentNamesRule, FRAGMENTS],
  [library.NoUnusedFragmentsRule, FRAGMENTS],
  [library.PossibleFragmentSpreadsRule, FRAGMENTS],
  [library.NoFragmentCyclesRule, FRAGMENTS],
  [library.OverlappingFieldsCanBeMergedRule, FRAGMENTS | REPEATS],
  [library.VariablesAreInputTypesRule, VARIABLES],
  [library.UniqueVariableNamesRule, VARIABLES],
  [library.NoUndefinedVariablesRule, VARIABLES],
  [library.NoUnusedVariablesRule, VARIABLES],
  [library.VariablesInAllowedPositionRule, VARIABLES],
  [library.KnownArgumentNamesRule, ARGUMENTS],
  [library.UniqueArgumentNamesRule, ARGUMENTS],
  [library.ValuesOfCorrectTypeRule, ARGUMENTS],
  [library.UniqueInputFieldNamesRule, ARGUMENTS],
  [library.KnownDirectivesRule, DIRECTIVES],
  [library.UniqueDirectivesPerLocationRule, DIRECTIVES],
  [DeferStreamDirectiveLabelRule, DIRECTIVES],
  [DeferStreamDirectiveOnRootFieldRule, DIRECTIVES],
  [DeferStreamDirectiveOnValidOperationsRule, DIRECTIVES],
  [StreamDirectiveOnListFieldRule, DIRECTIVES],
]);

/** Text that every document with the given content contains. A match in a string or comment only adds rules. */
const marks: readonly (readonly [mark: string, content: number])[] = [
  ["@", DIRECTIVES],
  ["...", FRAGMENTS],
  ["fragment", FRAGMENTS],
  ["$", VARIABLES],
  ["(", ARGUMENTS],
  ["subscription", SUBSCRIPTIONS],
  ["__", INTROSPECTION],
];

/** Cached rules by contents. */
const cachedRules = new Map<number, readonly ValidationRule[]>();

/**
 * Returns the rules of GraphQL's specification that can find a mistake in a document. Each rule runs at every node, so the validation of a small query would
 * spend most of its time in rules about contents that it lacks.
 *
 * @param hasRepeats whether a selection set has a repeated name or an alias
 */
export const neededRules = (
  text: string,
  definitions: number,
  hasRepeats: boolean,
): readonly ValidationRule[] => {
  let contents = ANYTHING | (definitions > 1 ? OPERATIONS : 0) | (hasRepeats ? REPEATS : 0);
  for (const [mark, content] of marks) if (text.includes(mark)) contents |= content;
  let rules = cachedRules.get(contents);
  if (rules === undefined) {
    rules = specifiedRules.filter((rule) => ((triggers.get(rule) ?? ANYTHING) & contents) !== 0);
    cachedRules.set(contents, rules);
  }
  return rules;
};
