#!/usr/bin/env bash
# Builds the container image with buildah and extracts a page in it: `deploy/try-image.sh target/dist/image`.
#
# Where no registry can be reached, the base of the image is made from Debian's packages, with the files that distroless/cc has too: the C
# library, the compiler's library, certificates, and a user without rights. Needs buildah and apt; CONTRIBUTING.md.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
context="$(realpath "${1:?usage: deploy/try-image.sh FOLDER}")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
storage=(--root "$work/storage" --runroot "$work/run")

echo "base: Debian packages"
mkdir -p "$work/packages" "$work/base/etc/ssl/certs"
(cd "$work/packages" && apt-get download --quiet=2 libc6 libgcc-s1 libstdc++6 ca-certificates)
for package in "$work"/packages/*.deb; do dpkg-deb -x "$package" "$work/base"; done
cat "$work"/base/usr/share/ca-certificates/mozilla/*.crt > "$work/base/etc/ssl/certs/ca-certificates.crt"
rm -rf "$work/base/usr/share"
echo 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin' > "$work/base/etc/passwd"
echo 'nonroot:x:65532:' > "$work/base/etc/group"
base="$(buildah "${storage[@]}" from scratch)"
buildah "${storage[@]}" copy --quiet "$base" "$work/base" / > /dev/null
buildah "${storage[@]}" commit --quiet "$base" localhost/base > /dev/null

buildah "${storage[@]}" build --quiet --build-arg BASE=localhost/base --file "$here/deploy/Dockerfile" --tag maintext "$context" > /dev/null
image="$(buildah "${storage[@]}" from localhost/maintext)"
buildah "${storage[@]}" inspect --type image --format 'user {{.OCIv1.Config.User}}, entry {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}}{{println}}' localhost/maintext
buildah "${storage[@]}" images --format '{{.Size}}' localhost/maintext
buildah "${storage[@]}" run "$image" -- /usr/local/bin/maintext extract - < "$here/examples/news-en.html"
