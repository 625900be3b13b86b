import {
  getNamedType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  valueFromAST,
} from "graphql";

/**
 * Reads the defaults in SDL again, with the resolvers of enums and scalars: graphql 16 reads them while it builds the schema, which has no resolvers yet.
 * Does nothing with graphql 17, which keeps their text.
 */
export const readDefaults = (schema: GraphQLSchema): void => {
  const types = Object.values(schema.getTypeMap());
  const visited = new Set<GraphQLNamedType>();
  for (const type of types) readFields(type, visited);
  for (const type of types)
    if (isObjectType(type) || isInterfaceType(type))
      for (const { args } of Object.values(type.getFields())) args.forEach(readDefault);
  for (const { args } of schema.getDirectives()) args.forEach(readDefault);
};

/** Reads the defaults of an input object's fields. The default of an object includes the defaults of nested objects, so nested objects are read first. */
const readFields = (type: GraphQLNamedType, visited: Set<GraphQLNamedType>): void => {
  if (!isInputObjectType(type) || visited.has(type)) return;
  visited.add(type);
  for (const field of Object.values(type.getFields())) {
    readFields(getNamedType(field.type), visited);
    readDefault(field);
  }
};

const readDefault = (input: GraphQLArgument | GraphQLInputField): void => {
  const literal = input.astNode?.defaultValue;
  if (literal === undefined || input.default !== undefined) return;
  input.defaultValue = valueFromAST(literal, input.type);
};
