// Transfer and kernel models in machine files.

#include <cmath>

#include "core/number_text.hpp"
#include "scenarios/machine_file.hpp"
#include "scenarios/rate_text.hpp"

namespace forelap::scenarios {
namespace {

using core::Dimension;
using core::KernelModel;
using core::KernelPiece;
using core::Parameter;
using core::TransferModel;
using core::TransferPiece;

constexpr double kNoBound = HUGE_VAL;

Codec<Parameter> time_parameter() {
  const auto time = quantity_codec(Dimension::time, 0, 1e6);
  return parameter_codec(time, time);
}

struct Range {
  std::string from, to;  // keys
  std::string from_doc, to_doc;
};

/// Two bounds; an upper bound that is left out is none.
template <class T>
void add_range(Table<T>& table, const Range& keys, const Codec<double>& codec, double T::*from, double T::*to) {
  table.add(Need::optional, keys.from, keys.from_doc, codec, from);
  table.template add_mapped<double>(
      Need::optional, keys.to, keys.to_doc + "; left out: without bound", codec,
      [to](T& piece, double value) { piece.*to = value; },
      [to](const T& piece) -> std::optional<double> {
        if (!std::isfinite(piece.*to)) return {};
        return piece.*to;
      });
  table.rule([from, to, key = keys.to](const Cursor& cursor, T& piece) {
    if (cursor.node().find(key) == nullptr) piece.*to = kNoBound;
    if (piece.*to < piece.*from) cursor.at(key).fail("found a range that ends before it begins");
  });
}

/// Bounds of transfer sizes; a bound between two bytes means the one below.
Codec<double> size_bound() {
  Codec<double> codec = quantity_codec(Dimension::bytes);
  codec.write = [](const double& bytes) { return Node::scalar(exact_quantity(std::floor(bytes), Dimension::bytes)); };
  return codec;
}

bool has_rate(const Parameter& per_byte) {
  const std::string rate = rate_text(per_byte.value);
  return !rate.empty() && (per_byte.spread == 0 || !rate_spread_text(per_byte.spread, rate).empty());
}

/// The keys of a stretch of a transfer, alone or within the model's own map.
template <class T>
void add_transfer_piece(Table<T>& table) {
  add_range<T>(table, {"from", "to", "the stretch holds from this size on", "and below this one"}, size_bound(),
               &T::from_bytes, &T::to_bytes);
  table.add(Need::optional, "latency", "the fixed part, L + o", time_parameter(),
            static_cast<Parameter T::*>(&T::fixed));
  table.template add_mapped<Parameter>(
      Need::optional, "rate", "1 / G; left out: the size does not matter", rate_parameter_codec(),
      [](T& piece, Parameter p) { piece.per_byte = std::move(p); },
      [](const T& piece) -> std::optional<Parameter> {
        if (!has_rate(piece.per_byte)) return {};
        return piece.per_byte;
      });
  table.template add_mapped<Parameter>(
      Need::optional, "per_byte", "G as a time, where no rate says it", time_parameter(),
      [](T& piece, Parameter p) { piece.per_byte = std::move(p); },
      [](const T& piece) -> std::optional<Parameter> {
        const Parameter& p = piece.per_byte;
        if (has_rate(p) || (p.value == 0 && p.spread == 0 && p.how.empty())) return {};
        return p;
      });
  table.rule([](const Cursor& cursor, T&) {
    if (cursor.node().find("rate") != nullptr && cursor.node().find("per_byte") != nullptr) {
      cursor.fail("found `rate` and `per_byte`, expected one of them");
    }
  });
}

template <class T>
void add_kernel_piece(Table<T>& table) {
  const auto number = quantity_codec(Dimension::pure, 0, 1e30);
  add_range<T>(table, {"from", "to", "the stretch holds from so many work-items on", "and below so many"}, number,
               &T::from_items, &T::to_items);
  add_range<T>(table,
               {"least_work", "most_work", "least work that it was fitted on", "most work that it was fitted on"},
               number, &T::least_work, &T::most_work);
  const auto add = [&table](const std::string& key, const std::string& doc, Parameter T::*member) {
    table.add(Need::optional, key, doc, time_parameter(), member);
  };
  add("launch", "gamma: what a launch takes beside its work", &T::launch);
  add("per_work", "eta: time a unit of the kernel's work", &T::per_work);
  add("per_item", "time a work-item beside its work", &T::per_item);
}

/// Several stretches must follow each other without a gap, and each must hold something. A single one may hold one size
/// only, the one that was measured.
template <class Piece>
void check_pieces(const Cursor& cursor, const std::vector<Piece>& pieces, double Piece::*from, double Piece::*to) {
  if (pieces.size() < 2) return;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].*to == pieces[i].*from) {
      cursor.at("pieces").at(i).at("to").fail("found a stretch that ends where it begins, so that it holds nothing");
    }
    if (i > 0 && pieces[i].*from != pieces[i - 1].*to) {
      cursor.at("pieces").at(i).at("from").fail("found a stretch that does not begin where the one before it ends");
    }
  }
}

/// A model as its file has it: one stretch in its own map, or several.
struct TransferFile : TransferPiece {
  core::Direction direction = core::Direction::host_to_device;
  core::MemoryKind memory = core::MemoryKind::pinned;
  std::vector<TransferPiece> pieces;
};
struct KernelFile : KernelPiece {
  std::string kernel;
  Parameter fill = {1, 0, 0, false, {}};
  Parameter full_items = {};
  std::vector<KernelPiece> pieces;
};

/// Refuses keys of a stretch beside `pieces`, and makes a single stretch a list of one.
template <class Piece, class File>
void gather_pieces(const Cursor& cursor, File& file, double Piece::*from, double Piece::*to) {
  if (cursor.node().find("pieces") == nullptr) {
    file.pieces.push_back(static_cast<const Piece&>(file));
    return;
  }
  for (const char* key :
       {"from", "to", "least_work", "most_work", "latency", "rate", "per_byte", "launch", "per_work", "per_item"}) {
    if (cursor.node().find(key) != nullptr) cursor.at(key).fail("found a number beside `pieces`, expected it in them");
  }
  check_pieces(cursor, file.pieces, from, to);
}

template <class File, class Piece>
void add_pieces(Table<File>& table, Table<Piece> piece) {
  table.template add_mapped<std::vector<Piece>>(
      Need::optional, "pieces", "several stretches, ascending and adjacent",
      list_codec(table_codec(std::move(piece)), 1),
      [](File& file, std::vector<Piece> pieces) { file.pieces = std::move(pieces); },
      [](const File& file) -> std::optional<std::vector<Piece>> {
        if (file.pieces.empty()) return {};
        return file.pieces;
      });
}

Table<TransferFile> transfer_table() {
  Table<TransferFile> table("a transfer model");
  table.add(Need::required, "direction", "htod or dtoh",
            choice_codec<core::Direction>(
                {{"htod", core::Direction::host_to_device}, {"dtoh", core::Direction::device_to_host}}),
            &TransferFile::direction);
  table.add(
      Need::required, "memory", "kind of host memory",
      choice_codec<core::MemoryKind>({{"pinned", core::MemoryKind::pinned}, {"pageable", core::MemoryKind::pageable}}),
      &TransferFile::memory);
  add_transfer_piece(table);
  Table<TransferPiece> piece("a stretch of a transfer model");
  add_transfer_piece(piece);
  add_pieces(table, std::move(piece));
  table.rule([](const Cursor& cursor, TransferFile& file) {
    gather_pieces<TransferPiece>(cursor, file, &TransferPiece::from_bytes, &TransferPiece::to_bytes);
  });
  return table;
}

Table<KernelFile> kernel_table() {
  const auto fraction = quantity_codec(Dimension::fraction, 1e-6, 1);
  const auto spread = quantity_codec(Dimension::fraction, 0, 1);
  Table<KernelFile> table("a kernel model");
  table.add(Need::required, "kernel", "the kernel's name", text_codec(), &KernelFile::kernel);
  table.add(Need::optional, "fill", "share of the device that one launch occupies", parameter_codec(fraction, spread),
            &KernelFile::fill);
  const auto items = quantity_codec(Dimension::pure, 0, 1e15);
  table.add_mapped<Parameter>(
      Need::optional, "full_items", "work-items from which a launch occupies that share; smaller ones occupy less",
      parameter_codec(items, items), [](KernelFile& file, Parameter p) { file.full_items = std::move(p); },
      [](const KernelFile& file) -> std::optional<Parameter> {
        if (file.full_items.value == 0) return {};
        return file.full_items;
      });
  add_kernel_piece(table);
  Table<KernelPiece> piece("a stretch of a kernel model");
  add_kernel_piece(piece);
  add_pieces(table, std::move(piece));
  table.rule([](const Cursor& cursor, KernelFile& file) {
    gather_pieces<KernelPiece>(cursor, file, &KernelPiece::from_items, &KernelPiece::to_items);
  });
  return table;
}

}  // namespace

Codec<TransferModel> transfer_model_codec() {
  const Codec<TransferFile> file = table_codec(transfer_table());
  Codec<TransferModel> codec;
  codec.expected = file.expected;
  codec.read = [file](const Cursor& cursor) {
    TransferFile content = file.read(cursor);
    return TransferModel{content.direction, content.memory, std::move(content.pieces)};
  };
  codec.write = [file](const TransferModel& model) {
    TransferFile content;
    content.to_bytes = kNoBound;
    if (model.pieces.size() == 1) {
      static_cast<TransferPiece&>(content) = model.pieces.front();
    } else {
      content.pieces = model.pieces;
    }
    content.direction = model.direction;
    content.memory = model.memory;
    return file.write(content);
  };
  codec.schema = file.schema;
  return codec;
}

Codec<KernelModel> kernel_model_codec() {
  const Codec<KernelFile> file = table_codec(kernel_table());
  Codec<KernelModel> codec;
  codec.expected = file.expected;
  codec.read = [file](const Cursor& cursor) {
    KernelFile content = file.read(cursor);
    return KernelModel{content.kernel, content.fill, std::move(content.pieces), std::move(content.full_items)};
  };
  codec.write = [file](const KernelModel& model) {
    KernelFile content;
    content.to_items = kNoBound;
    if (model.pieces.size() == 1) {
      static_cast<KernelPiece&>(content) = model.pieces.front();
    } else {
      content.pieces = model.pieces;
    }
    content.kernel = model.kernel;
    content.fill = model.fill;
    content.full_items = model.full_items;
    return file.write(content);
  };
  codec.schema = file.schema;
  return codec;
}

}  // namespace forelap::scenarios
