/** The lending API for GraphQL clients. */
export const LENDING_SCHEMA = `
  type Query {
    "Open loans, optionally of one member, ordered by the id of the book. At most 1000; for the next page pass the last book's id as \`after\`."
    openLoans(member: String, after: Int, token: String): [OpenLoan!]!
    "Loan counts of the most borrowed books and of recent months."
    statistics(token: String): Statistics!
  }

  type Mutation {
    "Lends a book. Repeating the call with the same idempotency key creates no second loan."
    borrow(book: Int!, member: String!, idempotencyKey: String): Borrowed!
    "Returns a book on loan."
    giveBack(book: Int!, idempotencyKey: String): Returned!
  }

  type Subscription {
    "Changes of loans from now on, or all after the position of an earlier change."
    loanChanges(after: String): LoanChange!
  }

  "A loan. Pass \`token\` to a query to read your own write."
  type Borrowed { book: Int! member: String! dueAt: String! token: String }
  "A return. Pass \`token\` to a query to read your own write."
  type Returned { book: Int! token: String }
  type OpenLoan { book: Int! title: String! member: String! dueAt: String! isReminded: Boolean! }
  type Statistics { books: [BookLoans!]! months: [MonthLoans!]! }
  type BookLoans { book: Int! loans: Int! }
  type MonthLoans { month: String! loans: Int! }

  enum LoanChangeKind { BORROWED RETURNED REMINDED }
  type LoanChange { kind: LoanChangeKind! book: Int! member: String! position: String! }
`;
