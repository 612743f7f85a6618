#!/usr/bin/env python3
"""merge.py TARGET SRC... : merges modules of src/page/dashboard, rewrites imports everywhere."""
import os,re,sys,glob
root="/tmp/h/page"
base=root+"/src/page/dashboard/"
IMP=re.compile(r'(?:^|\n)((?:import|export)\s(?:type\s)?(?:[^;\'"]*?\sfrom\s)?"([^"]+)";)',re.S)
HEAD=re.compile(r'^import\s[^;]*?"[^"]+";\n',re.M|re.S)
def split(text):
    lines=text
    imports=[]
    pos=0
    # imports at top, possibly after a comment
    while True:
        m=re.compile(r'\s*(import\s(?:[^;]*?\sfrom\s)?"[^"]+";)[ \t]*\n').match(text,pos)
        if not m: break
        imports.append(m.group(1)); pos=m.end()
    return imports,text[pos:]
def absol(f,spec):
    return os.path.normpath(os.path.join(os.path.dirname(f),spec)) if spec.startswith(".") else spec
def rel(f,p):
    if not p.startswith("/"): return p
    r=os.path.relpath(p,os.path.dirname(f))
    return r if r.startswith(".") else "./"+r
def parse(stmt):
    m=re.match(r'import\s+(type\s+)?(?:(\w+)\s*,?\s*)?(?:\{(.*?)\})?\s*from\s*"([^"]+)";',stmt,re.S)
    if not m: return None
    typ,default,names,spec=m.groups()
    out=[]
    for n in (names or "").split(","):
        n=n.strip()
        if n: out.append(("type " if typ and not n.startswith("type ") else "")+n)
    return default,out,spec
def render(f,table):
    res=[]
    for spec,(default,names) in table.items():
        names=sorted(set(names),key=lambda n:n.replace("type ","").lower())
        plain={n for n in names if not n.startswith("type ")}
        names=[n for n in names if not(n.startswith("type ") and n[5:] in plain)]
        parts=[]
        if default: parts.append(default)
        if names and all(n.startswith("type ") for n in names) and not default:
            res.append('import type { %s } from "%s";'%(", ".join(n[5:] for n in names),rel(f,spec)))
            continue
        if names: parts.append("{ %s }"%", ".join(names))
        res.append('import %s from "%s";'%(", ".join(parts),rel(f,spec)))
    return "\n".join(res)+("\n" if res else "")
def rewrite(f,text,mapping,drop=None):
    imports,body=split(text)
    table={}
    for s in imports:
        p=parse(s)
        if p is None: raise SystemExit("cannot parse "+s+" in "+f)
        d,names,spec=p
        a=absol(f,spec); a=mapping.get(a,a)
        if drop and a==drop: continue
        t=table.setdefault(a,[None,[]])
        if d: t[0]=d
        t[1]+=names
    # re-exports
    def fix(m):
        a=absol(f,m.group(2)); return m.group(1)+'"'+rel(f,mapping.get(a,a))+'"' if a in mapping else m.group(0)
    body=re.sub(r'(from\s+|import\()"(\.[^"]+)"',lambda m:(lambda a:m.group(1)+'"'+rel(f,mapping[a])+'"' if a in mapping else m.group(0))(absol(f,m.group(2))),body)
    return table,body
target=base+sys.argv[1]; srcs=[base+s for s in sys.argv[2:]]
mapping={s:target for s in srcs}
files=glob.glob(root+"/src/page/**/*.ts*",recursive=True)+glob.glob(root+"/test/dashboard/*.ts")+glob.glob(root+"/test/**/*.ts",recursive=True)
files=[f for f in set(files) if "/node_modules/" not in f and os.path.isfile(f)]
# build target
tables={};bodies=[]
order=([target] if os.path.exists(target) and target not in srcs else [])+srcs
for f in order:
    text=open(f).read()
    imports,body=split(text)
    for s in imports:
        p=parse(s)
        if p is None: raise SystemExit("cannot parse "+s)
        d,names,spec=p
        a=absol(f,spec)
        if a in mapping or a==target: continue
        t=tables.setdefault(a,[None,[]])
        if d:t[0]=d
        t[1]+=names
    bodies.append(body.strip())
merged=render(target,tables)+"\n"+"\n\n".join(bodies)+"\n"
for s in srcs: os.remove(s)
open(target,"w").write(merged)
for f in files:
    if f in srcs or f==target: continue
    text=open(f).read()
    if not any(os.path.basename(s) in text for s in srcs): continue
    imports,body=split(text)
    hit=any((p:=parse(s)) and absol(f,p[2]) in mapping for s in imports) or any(absol(f,m) in mapping for m in re.findall(r'from\s+"(\.[^"]+)"',body))
    if not hit: continue
    lead=""
    m=re.match(r'((?:\s*//[^\n]*\n|/\*.*?\*/\s*\n)*)',text,re.S)
    if not imports:
        lead=m.group(0)
        imports,body=split(text[len(lead):]); text=text[len(lead):]
    table,body=rewrite(f,text,mapping)
    open(f,"w").write(lead+render(f,table)+body if body.startswith("\n") else lead+render(f,table)+"\n"+body)
