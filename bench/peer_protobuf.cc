// bench/peer_protobuf.cc - Google's protobuf for C++ with arenas, and google/crc32c, on the work of bench_tfrecord.c.
//
// bench_tfrecord.py compiles it outside the checkout when protoc and the library are there; the library
// of google/crc32c is found at run time (CRC32C_LIBRARY=libcrc32c.so...), as is done with the wheel's.
// peer_protobuf --work=batch|frame|crc --input=FILE [--size=N]: one JSON line, as bench_tfrecord prints.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <google/protobuf/arena.h>

#include "example.pb.h"

using Crc = uint32_t (*)(uint32_t, const uint8_t *, size_t);  // crc32c_extend
static Crc crc_extend;
static const uint8_t *file;
static size_t file_bytes;
static size_t limit, block = 4096;

static void fail(const char *what)
{
    fprintf(stderr, "peer_protobuf: error: %s\n", what);
    exit(1);
}

static uint32_t masked(const void *p, size_t n)
{
    uint32_t crc = crc_extend(0, static_cast<const uint8_t *>(p), n);
    return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}

struct Result {
    uint64_t units = 0, check = 0;
};

template <typename F> static void each_record(Result *r, F f)
{
    size_t at = 0;
    while (at < file_bytes && (limit == 0 || r->units < limit)) {
        uint64_t n;
        uint32_t a, b;
        memcpy(&n, file + at, 8);
        memcpy(&a, file + at + 8, 4);
        memcpy(&b, file + at + 12 + n, 4);
        if (a != masked(file + at, 8) || b != masked(file + at + 12, n))
            fail("checksum");
        f(file + at + 12, n);
        r->units++;
        r->check += n;
        at += n + 16;
    }
}

// Batches of 512 records as ragged columns, each record parsed on an arena that is reset.
static Result run_batch()
{
    Result r;
    static std::vector<char> memory(1 << 20);
    google::protobuf::ArenaOptions options;
    options.initial_block = memory.data();
    options.initial_block_size = memory.size();
    google::protobuf::Arena arena(options);
    std::vector<int64_t> values[2], splits[2];
    const std::string names[2] = {"inputs", "targets"};
    size_t in_batch = 0;
    each_record(&r, [&](const uint8_t *p, size_t n) {
        if (in_batch == 512) {
            for (int k = 0; k < 2; k++) {
                values[k].clear();
                splits[k].clear();
            }
            in_batch = 0;
            arena.Reset();
        }
        auto *e = google::protobuf::Arena::CreateMessage<tensorflow::Example>(&arena);
        if (!e->ParseFromArray(p, static_cast<int>(n)))
            fail("not an Example");
        const auto &map = e->features().feature();
        for (int k = 0; k < 2; k++) {
            auto it = map.find(names[k]);
            if (it != map.end()) {
                const auto &v = it->second.int64_list().value();
                values[k].insert(values[k].end(), v.begin(), v.end());
            }
            splits[k].push_back(static_cast<int64_t>(values[k].size()));
        }
        in_batch++;
    });
    return r;
}

struct Row {
    std::vector<int32_t> ids[2];
};
static std::vector<Row> rows;

static void load_rows()
{
    Result r;
    each_record(&r, [&](const uint8_t *p, size_t n) {
        tensorflow::Example e;
        e.ParseFromArray(p, static_cast<int>(n));
        Row row;
        int k = 0;
        for (const char *name : {"inputs", "targets"}) {
            const auto &v = e.features().feature().at(name).int64_list().value();
            row.ids[k++].assign(v.begin(), v.end());
        }
        rows.push_back(std::move(row));
    });
}

// Ids to Example to framed record, in memory, a mebibyte at a time.
static Result run_frame()
{
    Result r;
    static std::vector<char> memory(1 << 20);
    google::protobuf::ArenaOptions options;
    options.initial_block = memory.data();
    options.initial_block_size = memory.size();
    google::protobuf::Arena arena(options);
    std::string out;
    out.reserve(2 << 20);
    for (size_t i = 0; i < rows.size(); i++) {
        auto *e = google::protobuf::Arena::CreateMessage<tensorflow::Example>(&arena);
        auto &map = *e->mutable_features()->mutable_feature();
        int k = 0;
        for (const char *name : {"inputs", "targets"}) {
            auto *list = map[name].mutable_int64_list()->mutable_value();
            list->Reserve(static_cast<int>(rows[i].ids[k].size()));
            for (int32_t id : rows[i].ids[k])
                list->AddAlreadyReserved(id);
            k++;
        }
        uint64_t n = e->ByteSizeLong();
        size_t at = out.size();
        out.resize(at + n + 16);
        uint8_t *p = reinterpret_cast<uint8_t *>(&out[at]);
        memcpy(p, &n, 8);
        uint32_t crc = masked(p, 8);
        memcpy(p + 8, &crc, 4);
        e->SerializeWithCachedSizesToArray(p + 12);
        crc = masked(p + 12, n);
        memcpy(p + 12 + n, &crc, 4);
        if (out.size() > 1 << 20) {
            r.check += out.size();
            out.clear();
        }
        if (i % 512 == 511)
            arena.Reset();
    }
    r.units = rows.size();
    r.check += out.size();
    return r;
}

static Result run_crc()
{
    static std::vector<uint8_t> data(block);
    Result r;
    for (size_t i = 0; i < block; i++)
        data[i] = static_cast<uint8_t>(i * 131);
    while (r.units < limit << 20) {
        r.check += crc_extend(0, data.data(), block);
        r.units += block;
    }
    return r;
}

int main(int argc, char **argv)
{
    std::string work, input;
    int reps = 5;
    for (int i = 1; i < argc; i++) {
        std::string a = argv[i], v = a.substr(a.find('=') + 1);
        if (a.rfind("--work=", 0) == 0)
            work = v;
        else if (a.rfind("--input=", 0) == 0)
            input = v;
        else if (a.rfind("--size=", 0) == 0)
            block = strtoull(v.c_str(), nullptr, 10);
        else if (a.rfind("--limit=", 0) == 0 || a.rfind("--mb=", 0) == 0)
            limit = strtoull(v.c_str(), nullptr, 10);
        else if (a.rfind("--reps=", 0) == 0)
            reps = static_cast<int>(strtol(v.c_str(), nullptr, 10));
        else
            fail("usage: peer_protobuf --work=batch|frame|crc --input=FILE");
    }
    const char *name = getenv("CRC32C_LIBRARY");
    void *library = dlopen(name != nullptr ? name : "libcrc32c.so.1", RTLD_NOW);
    if (library == nullptr || (crc_extend = reinterpret_cast<Crc>(dlsym(library, "crc32c_extend"))) == nullptr)
        fail("no libcrc32c (CRC32C_LIBRARY)");
    if (!input.empty()) {
        struct stat info;
        int fd = open(input.c_str(), O_RDONLY);
        if (fd < 0 || fstat(fd, &info) != 0)
            fail("cannot open the input");
        file_bytes = static_cast<size_t>(info.st_size);
        file = static_cast<const uint8_t *>(mmap(nullptr, file_bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0));
    }
    if (work == "frame")
        load_rows();
    Result (*run)() = work == "batch" ? run_batch : work == "frame" ? run_frame : work == "crc" ? run_crc : nullptr;
    if (run == nullptr)
        fail("unknown work");
    std::vector<double> rates;
    Result r = run();  // warm-up
    for (int i = 0; i < reps; i++) {
        auto start = std::chrono::steady_clock::now();
        r = run();
        std::chrono::duration<double> s = std::chrono::steady_clock::now() - start;
        rates.push_back(static_cast<double>(r.units) * (work == "crc" ? 1e-9 : 1) / s.count());
    }
    std::sort(rates.begin(), rates.end());
    printf("{\"work\": \"%s\", \"value\": %.6g, \"check\": \"%llu units, %llu\"}\n", work.c_str(), rates[rates.size() / 2],
           static_cast<unsigned long long>(r.units), static_cast<unsigned long long>(r.check));
    return 0;
}
