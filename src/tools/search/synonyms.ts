import { stem } from "./terms.ts";

/** Words that programmers use for the same thing, and the short forms of long ones. Each line is one group. */
const GROUPS = `
add append insert
agent assistant
allow permit grant
answer reply response
argument parameter param arg
ask prompt question query
authenticate authentication auth login
authorization authorize permission right
background async
begin start launch spawn boot
block deny forbid refuse reject
buffer queue backlog
cancel abort interrupt stop
change modify edit update alter
chart plot graph viewer
check verify validate
compress zip gzip
configuration config setting option preference
conversation chat session
copy clone duplicate
crash die kill
create make new
credential secret password key
database db sql
decode parse read
delete remove drop erase purge
dialog modal popup
directory folder dir
docker container
document documentation doc
encode serialize stringify
encrypt cipher
environment env
error failure exception fault problem bug
event message notification
fast speed performance quick latency
fetch download request
file path
find search look locate
folder directory workspace
function method procedure
hash digest checksum
hide mask redact conceal
identifier id
image picture screenshot photo
initialize initialise init setup
internet network web
limit bound maximum max quota cap
list enumerate
log record journal
maximum max
minimum min
money cost price budget spend
move rename
number count amount
page website site
pause suspend
permission access right
phone mobile
port socket
process program
push send publish deliver post
random chance
reconnect resume retry
repeat retry again
repository repo project
restart resume recover
restore recover
run execute exec
save store persist write
schedule cron timer
screen display view
sandbox jail isolation
shell bash terminal command
show display render
sign signature
size length bytes
summary summarize summarise compaction shorten
synchronize sync
table spreadsheet grid
temporary temp tmp
test spec
text string
time clock date
timeout deadline expire
token credential
translate convert map
url address link uri
user person people account
wait pause delay
warn alert notify
wildcard glob pattern
`;

const byStem = new Map<string, ReadonlySet<string>>();
for (const line of GROUPS.trim().split("\n")) {
  const group = line.split(" ").map(stem);
  for (const word of group) byStem.set(word, new Set([...(byStem.get(word) ?? []), ...group]));
}

/** Other terms for the same, in the index's form. */
export function synonymsOf(term: string): readonly string[] {
  return [...(byStem.get(term) ?? [])].filter((other) => other !== term);
}
