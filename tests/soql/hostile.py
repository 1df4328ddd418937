"""Texts that try to be more than text: over two hundred, for literals, names and terms."""

from __future__ import annotations

from collections.abc import Iterator

_SQL = """
' OR '1'='1
' OR 1=1 --
') OR 1=1 --
')) OR (('1'='1
'; DROP TABLE "Account"; --
'; DELETE FROM Account; --
'; UPDATE "User" SET "Email" = 'x'; --
'; INSERT INTO "Account" VALUES ('x'); --
'; ATTACH DATABASE 'evil.db' AS evil; --
'; ATTACH DATABASE ':memory:' AS evil; --
'; DETACH DATABASE main; --
'; PRAGMA query_only = OFF; --
'; PRAGMA writable_schema = 1; --
'; PRAGMA journal_mode = WAL; --
'; PRAGMA user_version = 7; --
'; VACUUM INTO 'evil.db'; --
'; CREATE TRIGGER t AFTER INSERT ON "Account" BEGIN SELECT 1; END; --
'; CREATE TABLE evil (x); --
'; BEGIN; --
'; COMMIT; --
'; REINDEX; --
'; ANALYZE; --
' UNION SELECT sql FROM sqlite_master --
' UNION ALL SELECT value FROM crmarena_meta --
' UNION SELECT text FROM secret --
' AND (SELECT COUNT(*) FROM sqlite_master) > 0 --
' AND load_extension('evil.so') --
' || load_extension('evil') || '
' || readfile('/etc/passwd') || '
' || writefile('evil.txt', 'x') || '
' || randomblob(1000000000) || '
' || zeroblob(1000000000) || '
' || hex(randomblob(9)) || '
' || (SELECT text FROM secret) || '
' || char(39) || '
' COLLATE evil --
' ESCAPE '
' GLOB '*
' REGEXP '.*
' MATCH '*
x' AND 1 = sf_fold('x
1; SELECT 1
1 UNION SELECT 1
1) UNION SELECT 1 --
(SELECT text FROM secret)
(SELECT sql FROM sqlite_master)
COUNT(*) FROM secret --
"Name"
"Account"."Name"
[Name]
`Name`
Name" FROM "Account" --
Name"; DROP TABLE "Account"; --
Name", (SELECT text FROM secret) AS "x
Account"; ATTACH DATABASE 'evil.db' AS "e
Account" JOIN "secret
Account" AS t0, secret AS t1 --
Account__search
Account__words
Account__bin
Account__search_data
Account__search_idx
sqlite_master
sqlite_schema
sqlite_temp_master
sqlite_sequence
sqlite_stat1
crmarena_meta
pragma_table_info
pragma_database_list
json_each
generate_series
dbstat
secret
rowid
_rowid_
oid
t0
t0.rowid
given
given.value
a0
main.Account
temp.Account
?1
?999999
:name
@name
$name
#0
-- comment
/* comment */
/* open
*/ close
Id -- comment
Id /* comment */, Name
Id;
;
;;;;
Id FROM Account; SELECT Name
Name ASC; DROP TABLE "Account"
1=1
NULL
TRUE
CASE WHEN 1 THEN 1 END
EXISTS (SELECT 1)
CAST(1 AS TEXT)
x'41424344'
X'00'
0x41
1e309
-1e309
nan
inf
99999999999999999999999999
"""

_PYTHON = """
__import__
__import__('os').system('touch evil')
__class__
__builtins__
__globals__
__dict__
a__class__
eval
exec
lambda
lambda: 0
None
True
print
rows
url
written
c0
a1
get
yield
await
import
class
def
a0.__class__.__mro__
().__class__.__bases__[0].__subclasses__()
[].append(1)
{}.get(1)
{0.__class__}
{name}
{}
{{}}
{0}
{what.__init__.__globals__}
%s
%(name)s
%n%n%n%n
%06d
${7*7}
{{7*7}}
<%= 7*7 %>
#{7*7}
f'{1}'
'] + [open('evil', 'w')] + ['
'}, __import__('os'), {'
': a0, 'x': __import__('os').getcwd(), 'y
\\'
\\\\'
\\\\\\'
\\
\\x27
\\u0027
\\u0000
\\N{APOSTROPHE}
\\0
\\n'; DROP TABLE x; --
\\%
\\_
"""

_OTHER = """
'
''
'''
''''
"
\"\"
'"'"'"
`
\u2019
\u02bc
\uff07 OR 1=1
\u02b9
\u2032
\uff02
\uff1b DROP TABLE x
\uff0d\uff0d
\u212a
\u0130
\u0131
\u00df
\u1e9e
\u03c2
\ufb01
e\u0301
\u00e9
\u0430ccount
\u0410ccount
\u13aaccount
Acc\u200bount
Acc\u00adount
\u202eeman
\u202d\u202e\u202c
\u2066x\u2069
\u200f
\ufeff
\ufeffSELECT
\ufffd
\uffff
\U0001f600
\U0001f468\u200d\U0001f469\u200d\U0001f467
\U0010ffff
\u0e49\u0e49\u0e49\u0e49
\ud800
\udfff
\ud83d x
x \udc80
%
%%
%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%
_
____________________________________________
%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%
%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%b
*
?
(((((((((((((((((((((((((((((((((((
)))))
[[[[]]]]
{}{}{}
{
}
} RETURNING User(Email
} RETURNING User(Email) WITH METADATA = 'LABELS
\"} RETURNING User
acme} LIMIT 1 {
NEAR(a b)
a NEAR/2 b
name:acme
Name : acme
{Name} : acme
^acme
a* OR b*
"a" NOT "b"
-acme
+acme
~acme
AND
OR NOT
{"a": 1}
{"$gt": ""}
[1,2,3]
["x","y"]
{"__proto__": {}}
<script>alert(1)</script>
<!-- x -->
]]>
&lt;x&gt;
&#39;
%27%20OR%201=1
%00
..
../../etc/passwd
/etc/passwd
C:\\Windows
file:evil.db?mode=rwc
http://example.invalid/
$(touch evil)
`touch evil`
| touch evil
&& touch evil
*)(uid=*))(|(uid=*
=cmd|' /C calc'!A0
@SUM(1)
"""
_FROM_CODES = [
    "\x00",
    "a\x00b",
    "'\x00",
    "\x00' OR 1=1 --",
    "\x01\x02\x1f",
    "\x1b[31m",
    "\x7f",
    "\x85",
    "\xa0",
]
_FROM_CODES += ["\r\n", "a\nb", "\tx", "\x0b\x0c", "\u2028", "\u2029", " ", "   ", "x" * 255, "x" * 5_000]
_FROM_CODES += ["'" * 3_000, "%" * 3_999, "\\" * 3_000, "\U0001f600" * 3_000, "(" * 2_000, "x" * 99_000]


def _lines() -> Iterator[str]:
    for block in (_SQL, _PYTHON, _OTHER):
        yield from (line for line in block.split("\n") if line)


HOSTILE: tuple[str, ...] = tuple(dict.fromkeys([*_lines(), *_FROM_CODES]))
"""All of them, each once."""
