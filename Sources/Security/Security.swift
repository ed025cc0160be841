// One import for all of it. The names are in two modules of their own because each constant that
// stands for a value has two types; SecurityObjects says why.
@_exported public import SecurityNames
@_exported public import SecurityObjects
