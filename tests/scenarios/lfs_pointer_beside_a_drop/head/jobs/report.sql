version https://git-lfs.github.com/spec/v1
oid sha256:4d7a21
size 12345
