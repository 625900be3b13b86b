import ts from "typescript-api";

/** The declaration of an exported name as code; of classes and interfaces the head, because their members follow one by one. */
export const codeOfName = ({ declarations = [] }: ts.Symbol): string => declarations.map(codeOf).join("\n");

/** The declarations of a member, overloads below each other. */
export const codeOfMember = ({ declarations = [] }: ts.Symbol): string =>
  declarations.map((declaration) => plain(declaration.getText()).replace(/;$/, "")).join("\n");

const codeOf = (declaration: ts.Declaration): string => {
  if (ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration))
    return headOf(declaration);
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return plain(statement.getText());
};

const headOf = (declaration: ts.ClassDeclaration | ts.InterfaceDeclaration): string => {
  const text = declaration.getText();
  const end = declaration.members.pos - declaration.getStart();
  const constructors = declaration.members.filter((member) => ts.isConstructorDeclaration(member));
  const inner = constructors.map((member) => `    ${plain(member.getText())}\n`).join("");
  const head = plain(text.slice(0, end)).replace(/\s*\{$/, "");
  return inner === "" ? head : `${head} {\n${inner}}`;
};

/** Code without its comments and without the words that only declaration files have. */
const plain = (code: string): string =>
  code
    .replaceAll(/\/\*\*[\s\S]*?\*\/\s*/g, "")
    .replaceAll(/^export (declare )?|^declare /gm, "")
    .trim();
